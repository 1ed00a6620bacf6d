//! Shapes of structs, functions and tests.

use syn::visit::Visit;

use super::rust_source::Source;

/// Something of a size, or just something, at a place.
pub struct Item {
    pub name: String,
    /// `path:line`.
    pub place: String,
    /// Fields of a struct, parameters of a function.
    pub size: usize,
}

/// Items in the syntax of all files.
#[derive(Default)]
pub struct Shapes {
    /// Structs with named fields.
    pub structs: Vec<Item>,
    /// Functions and methods; `self` is not counted.
    pub functions: Vec<Item>,
    pub tests: usize,
    /// Tests that contain `return`, or a print of `SKIPPED`, outside of closures: what they test may be missing.
    pub early_returns: Vec<Item>,
}

impl Shapes {
    pub fn from_sources(sources: &[Source]) -> Self {
        let mut shapes = Self::default();
        for source in sources {
            let Some(syntax) = &source.syntax else { continue };
            Visitor { path: &source.path, shapes: &mut shapes }.visit_file(syntax);
        }
        shapes
    }
}

struct Visitor<'a> {
    path: &'a str,
    shapes: &'a mut Shapes,
}

impl Visitor<'_> {
    fn item(&self, ident: &syn::Ident, size: usize) -> Item {
        let place = format!("{}:{}", self.path, ident.span().start().line);
        Item { name: ident.to_string(), place, size }
    }

    fn add_function(&mut self, signature: &syn::Signature) {
        let is_typed = |input: &&syn::FnArg| matches!(input, syn::FnArg::Typed(_));
        let size = signature.inputs.iter().filter(is_typed).count();
        self.shapes.functions.push(self.item(&signature.ident, size));
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        if let syn::Fields::Named(fields) = &item.fields {
            self.shapes.structs.push(self.item(&item.ident, fields.named.len()));
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add_function(&function.sig);
        let is_test = |attribute: &syn::Attribute| attribute.path().is_ident("test");
        if function.attrs.iter().any(is_test) {
            self.shapes.tests += 1;
            let mut finder = EarlyReturn { found: false };
            finder.visit_block(&function.block);
            if finder.found {
                self.shapes.early_returns.push(self.item(&function.sig.ident, 0));
            }
        }
        syn::visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add_function(&function.sig);
        syn::visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.add_function(&function.sig);
        syn::visit::visit_trait_item_fn(self, function);
    }
}

struct EarlyReturn {
    found: bool,
}

impl<'ast> Visit<'ast> for EarlyReturn {
    fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
        self.found = true;
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.found |= call.tokens.to_string().contains("SKIPPED");
    }

    // They return for themselves.
    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    fn visit_item_fn(&mut self, _: &'ast syn::ItemFn) {}
}

#[cfg(test)]
mod tests {
    use super::Shapes;
    use crate::house::rust_source::Source;
    use crate::repository::File;

    #[test]
    fn shapes_are_counted() {
        let text = "
            struct Wide { a: u8, b: u8 }
            struct Unit(u8);
            impl Wide { fn three(&self, a: u8, b: u8, c: u8) {} }
            #[test] fn honest() { let f = |x: u8| { return x; }; assert_eq!(f(1), 1); }
            #[requires(data)] #[test] fn early() { let Some(x) = find() else { return }; }
            #[test] fn loud() { eprintln!(\"SKIPPED\"); }
            fn not_a_test() { return; }
        ";
        let file = File { path: "crates/x/src/y.rs".to_owned(), text: text.to_owned() };
        let shapes = Shapes::from_sources(&[Source::from_file(file)]);
        let structs: Vec<_> = shapes.structs.iter().map(|s| (s.name.as_str(), s.size)).collect();
        assert_eq!(structs, [("Wide", 2)]);
        let three = shapes.functions.iter().find(|f| f.name == "three").expect("the method");
        assert_eq!((three.size, three.place.as_str()), (3, "crates/x/src/y.rs:4"));
        assert_eq!(shapes.tests, 3);
        let early: Vec<_> = shapes.early_returns.iter().map(|test| test.name.as_str()).collect();
        assert_eq!(early, ["early", "loud"]);
    }
}
