//! Users, sessions, tokens, links, roles, the audit log.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use wattle_jobs::{
    AuditScope, Caller, ErrorKind, LimitKind, NewAuditEntry, NewComment, NewLink, NewToken,
    NewUser, Password, Role, Secret, SecretKind, ServerError, ShareSubject, TokenScope, WallClock,
};
use wattle_store::RunId;

use crate::test_server::{PASSWORD, TestPlace, project, user, wait};

/// All that users and projects do.
pub fn check_accounts(place: &TestPlace) {
    let now = Arc::new(AtomicI64::new(1_000_000_000_000));
    wait(async {
        let data = place.open_at(WallClock::Manual(Arc::clone(&now))).await;
        let accounts = data.accounts();
        let ada = user(&data, "Ada").await;
        assert_eq!((ada.name.as_str(), ada.has_password), ("ada", true));
        let again =
            NewUser { name: "ADA".into(), title: String::new(), password: None, is_admin: true };
        assert!(matches!(accounts.create(&again).await, Err(ServerError::Conflict(_))));
        for name in ["", ".", "a b", "a/b", "ä", &"x".repeat(65)] {
            let new = NewUser { name: name.to_owned(), ..again.clone() };
            assert!(
                matches!(accounts.create(&new).await, Err(ServerError::Invalid { .. })),
                "{name}"
            );
        }

        let right = Password::attempt(PASSWORD);
        let login = accounts.log_in("Ada", &right, "192.0.2.1").await.expect("logged in");
        let caller = accounts.session(&login.secret).await.expect("asked").expect("a session");
        assert_eq!(caller.user_id(), Some(ada.id));
        let other = Secret::random(SecretKind::Session).expect("random");
        assert!(accounts.session(&other).await.expect("asked").is_none());

        let visible = project(&data, "visible").await;
        let hidden = project(&data, "hidden").await;
        let projects = data.projects();
        projects.set_role(visible, ada.id, Some(Role::Member)).await.expect("set");
        assert_eq!(projects.role(&caller, visible).await.expect("a role"), Role::Member);
        let unseen = projects.role(&caller, hidden).await.expect_err("hidden");
        assert_eq!(unseen.kind(), ErrorKind::NotFound);
        let demanded = projects.demand(&caller, visible, Role::Admin).await.expect_err("refused");
        assert_eq!(demanded.kind(), ErrorKind::Forbidden);
        let names: Vec<_> = projects.visible(&caller).await.expect("listed");
        assert_eq!(names.iter().map(|(it, _)| it.name.as_str()).collect::<Vec<_>>(), ["visible"]);
        assert_eq!(projects.members(visible).await.expect("members")[0].user.name, "ada");

        // A token allows no more than its scope, its project and its user.
        let new = NewToken {
            user: ada.id,
            project: Some(visible),
            title: "ci".into(),
            scope: TokenScope::Admin,
            expires_ms: Some(now.load(Ordering::SeqCst) + 1000),
        };
        let (secret, token) = accounts.create_token(&new).await.expect("a token");
        let by_token = accounts.token(&secret).await.expect("asked").expect("known");
        assert_eq!(projects.role(&by_token, visible).await.expect("a role"), Role::Member);
        assert!(!by_token.is_server_admin());
        projects.set_role(hidden, ada.id, Some(Role::Admin)).await.expect("set");
        assert!(projects.role(&by_token, hidden).await.is_err(), "it is for another project");
        let reading = NewToken { project: None, scope: TokenScope::Read, ..new.clone() };
        let (secret_2, _) = accounts.create_token(&reading).await.expect("a token");
        let by_token = accounts.token(&secret_2).await.expect("asked").expect("known");
        assert_eq!(projects.role(&by_token, hidden).await.expect("a role"), Role::Reader);
        now.fetch_add(2000, Ordering::SeqCst);
        assert!(accounts.token(&secret).await.expect("asked").is_none(), "it has expired");
        accounts.delete_token(ada.id, token.id).await.expect("deleted");
        assert_eq!(accounts.tokens(ada.id).await.expect("listed").len(), 1);

        // A link shows its subject and gives no role.
        let subject = ShareSubject::Comparison { runs: vec![3, 4] };
        let expires_ms = Some(now.load(Ordering::SeqCst) + 1000);
        let new = NewLink { project: hidden, author: Some(ada.id), subject, expires_ms };
        let (secret, link) = data.links().create(&new).await.expect("a link");
        assert!(link.shows(hidden, RunId(3)) && !link.shows(hidden, RunId(5)));
        assert!(!link.shows(visible, RunId(3)));
        let by_link = data.links().caller(&secret).await.expect("asked").expect("known");
        assert!(projects.role(&by_link, hidden).await.is_err());
        assert!(data.links().delete(visible, link.id).await.is_err(), "another project's");
        now.fetch_add(2000, Ordering::SeqCst);
        assert!(data.links().caller(&secret).await.expect("asked").is_none());

        // No secret is in the database.
        accounts.set_disabled(ada.id, true).await.expect("disabled");
        assert!(accounts.session(&login.secret).await.expect("asked").is_none());
        let refused = accounts.log_in("ada", &right, "192.0.2.1").await.expect_err("disabled");
        assert_eq!(refused.kind(), ErrorKind::Forbidden);
        accounts.set_disabled(ada.id, false).await.expect("enabled");
        accounts
            .set_password(ada.id, &Password::new("another password").expect("long"))
            .await
            .expect("set");
        assert!(accounts.session(&login.secret).await.expect("asked").is_none(), "sessions ended");
        let login = accounts.log_in_trusted("grace", "proxy", true).await.expect("vouched for");
        assert!(!login.user.has_password);
        let without = accounts.log_in("grace", &Password::attempt(""), "192.0.2.1").await;
        assert!(without.is_err(), "nobody logs in without a password");
        assert!(accounts.log_in_trusted("nobody", "proxy", false).await.is_err());

        // The last one who may manage the server stays.
        accounts.set_admin(ada.id, true).await.expect("an admin");
        let last = accounts.set_admin(ada.id, false).await.expect_err("the last");
        assert_eq!(last.kind(), ErrorKind::Conflict);
        accounts.set_disabled(ada.id, true).await.expect_err("the last");

        let entry = NewAuditEntry::new(&caller, "run.delete", "run:1\nfake line", "192.0.2.1");
        data.audit().add(&entry.in_project(visible)).await.expect("added");
        let entries =
            data.audit().newest(AuditScope::Project(visible), None, 10).await.expect("read");
        assert_eq!(entries.len(), 1);
        assert_eq!(
            (entries[0].actor.as_str(), entries[0].subject.as_str()),
            ("ada", "run:1 fake line")
        );
        let all = data.audit().newest(AuditScope::All, None, 100).await.expect("read");
        assert!(all.iter().any(|it| it.action == "login.failed"), "{all:?}");

        let comment = NewComment {
            project: visible,
            run: RunId(1),
            author: Some(ada.id),
            selection: String::new(),
            content: " <b>much</b>\0 ".into(),
        };
        let id = data.comments().add(&comment).await.expect("added");
        let comments = data.comments().of_run(visible, RunId(1)).await.expect("read");
        assert_eq!(
            (comments[0].content.as_str(), comments[0].author_title.as_deref()),
            ("<b>much</b>", Some("ada"))
        );
        assert!(data.comments().of_run(hidden, RunId(1)).await.expect("read").is_empty());
        assert!(data.comments().delete(hidden, id, None).await.is_err());
        data.comments().delete(visible, id, Some(ada.id)).await.expect("deleted");
        data.run_names().set(visible, RunId(1), "before").await.expect("named");
        assert_eq!(data.run_names().all(visible).await.expect("read")[&RunId(1)], "before");
        assert_eq!(projects.role(&Caller::local(), hidden).await.expect("all"), Role::Admin);
        data.close().await;
    });
}

#[test]
fn users_have_the_roles_that_they_were_given() {
    check_accounts(&TestPlace::sqlite());
}

#[test]
fn secrets_are_not_in_the_files() {
    let place = TestPlace::sqlite();
    let secrets: Vec<Secret> = wait(async {
        let data = place.open().await;
        let ada = user(&data, "ada").await;
        let project = project(&data, "energy").await;
        let password = Password::attempt(PASSWORD);
        let login = data.accounts().log_in("ada", &password, "here").await.expect("logged in");
        let (scope, title) = (TokenScope::Read, String::new());
        let new = NewToken { user: ada.id, project: None, title, scope, expires_ms: None };
        let (token, _) = data.accounts().create_token(&new).await.expect("a token");
        let subject = ShareSubject::Run { run: 1 };
        let new = NewLink { project, author: None, subject, expires_ms: None };
        let (link, _) = data.links().create(&new).await.expect("a link");
        vec![login.secret, token, link]
    });
    let mut seen = 0;
    for entry in std::fs::read_dir(place.folder()).expect("listed").flatten() {
        let Ok(bytes) = std::fs::read(entry.path()) else { continue };
        seen += 1;
        let texts = secrets.iter().map(Secret::reveal).chain([PASSWORD]);
        for text in texts {
            let found = bytes.windows(text.len()).any(|window| window == text.as_bytes());
            assert!(!found, "a secret is in {}", entry.path().display());
        }
        #[cfg(unix)]
        {
            // The database's journal goes away by itself.
            let Ok(known) = entry.metadata() else { continue };
            let mode = std::os::unix::fs::PermissionsExt::mode(&known.permissions());
            assert_eq!(mode & 0o077, 0, "{} may be read by others", entry.path().display());
        }
    }
    assert!(seen > 0);
}

/// Failed logins are counted, whatever is done at once.
pub fn check_throttle(place: &TestPlace) {
    let now = Arc::new(AtomicI64::new(1_000_000_000_000));
    wait(async {
        let data = place.open_at(WallClock::Manual(Arc::clone(&now))).await;
        user(&data, "ada").await;
        user(&data, "bob").await;
        let accounts = data.accounts();
        let (wrong, right) = (Password::attempt("wrong"), Password::attempt(PASSWORD));
        let is_throttled = |error: &ServerError| matches!(error, ServerError::Limit(it) if it.kind == LimitKind::FailedLogins);
        let mut refused = 0;
        for _ in 0..15 {
            let error = accounts.log_in("ada", &wrong, "192.0.2.1").await.expect_err("wrong");
            refused += u32::from(is_throttled(&error));
        }
        assert_eq!(refused, 5, "ten may fail");
        let error = accounts.log_in("ada", &right, "192.0.2.1").await.expect_err("too late");
        assert!(is_throttled(&error), "{error}");
        // Nobody locks out a user by failing in their name from elsewhere.
        accounts.log_in("ada", &right, "192.0.2.2").await.expect("from elsewhere");
        accounts.log_in("bob", &right, "192.0.2.1").await.expect("somebody else");
        now.fetch_add(16 * 60 * 1000, Ordering::SeqCst);
        accounts.log_in("ada", &right, "192.0.2.1").await.expect("after a while");
        // A clock that jumps back locks nobody out for longer than that.
        for _ in 0..10 {
            accounts.log_in("ada", &wrong, "192.0.2.1").await.expect_err("wrong");
        }
        now.fetch_sub(24 * 3600 * 1000, Ordering::SeqCst);
        accounts.log_in("ada", &right, "192.0.2.1").await.expect("after a jump");
    });
}

#[test]
fn failed_logins_are_limited() {
    check_throttle(&TestPlace::sqlite());
}
