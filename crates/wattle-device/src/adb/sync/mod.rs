//! Files on a device: the sync service, versions 1 and 2.
//!
//! Source: AOSP `packages/modules/adb/docs/dev/sync.md` and `file_sync_protocol.h`.

mod frame;
mod list;
mod receive;
mod send;
mod stat;

pub(super) use frame::SyncSession;
