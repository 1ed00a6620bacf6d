//! Pages that are made smaller until they fit.

use crate::ReportError;

/// No HTML page is larger, in bytes.
pub const HTML_LIMIT: usize = 2_000_000;

/// No data of a hosted page is larger, in bytes before compression, to about a tenth of which it goes over the network.
pub const HOSTED_DATA_LIMIT: usize = 16_000_000;

/// The first page that is no larger than a limit, made with fewer and fewer rows: half as many each time, none below `least`.
pub fn fitted<E: From<ReportError>>(
    mut rows: usize,
    least: usize,
    limit: usize,
    page: impl Fn(usize) -> Result<String, E>,
) -> Result<String, E> {
    loop {
        let text = page(rows)?;
        if text.len() <= limit {
            return Ok(text);
        }
        if rows == 0 {
            return Err(ReportError::TooLarge { bytes: text.len(), limit }.into());
        }
        rows = if rows < least { 0 } else { rows / 2 };
    }
}

#[cfg(test)]
mod tests {
    use super::{HTML_LIMIT, fitted};
    use crate::ReportError;

    #[test]
    fn rows_are_halved_until_the_page_fits() {
        let page = |bytes_per_row: usize, fixed: usize| {
            let text = fitted(16, 5, HTML_LIMIT, |rows| {
                Ok::<_, ReportError>("x".repeat(fixed + rows * bytes_per_row))
            });
            text.map(|text| text.len()).ok()
        };
        assert_eq!(page(1, 0), Some(16));
        assert_eq!(page(HTML_LIMIT / 5, 0), Some(4 * (HTML_LIMIT / 5)));
        assert_eq!(page(HTML_LIMIT, 5), Some(5));
        assert_eq!(page(0, HTML_LIMIT + 1), None);
    }
}
