//! An answer, and how it is kept short.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::tool_error::as_arguments;
use super::{AnswerRow, NextQuestion, clip_sentences, weight};

/// The most characters of an answer, of its text and its structured form together: 2,000 tokens. Three make a token of answers, which are
/// names and numbers; any other than ASCII counts as four.
pub const ANSWER_BUDGET: usize = 6000;

/// The most characters of the first line, of a fact, of the coverage.
const LONGEST_ANSWER: usize = 400;
const LONGEST_FACT: usize = 360;
const LONGEST_COVERAGE: usize = 400;
/// The most that all facts weigh, and the most questions.
const MOST_FACTS: usize = 2400;
const MOST_NEXT: usize = 3;

/// An answer of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolAnswer {
    /// The answer in a line.
    pub answer: String,
    /// The recording that it is about, by its handle.
    pub recording: Option<String>,
    /// Facts in lines of their own.
    pub facts: Vec<String>,
    /// Heading of the rows.
    pub heading: String,
    /// Rows, the most important first: those at the end are left out where there is no room.
    pub rows: Vec<AnswerRow>,
    /// Number of rows before the first, where a list goes on.
    pub offset: usize,
    /// Number of rows that exist, those before and after included; 0 for those that are given.
    pub total_rows: usize,
    /// The way to rows that are left out: a sentence in which `{}` stands for their offset.
    pub rest: &'static str,
    /// The components and the time that the figures cover.
    pub coverage: String,
    /// Questions that make sense now.
    pub next: Vec<NextQuestion>,
    /// Resources: address, name.
    pub links: Vec<(String, String)>,
}

/// An answer as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedAnswer {
    /// The text.
    pub text: String,
    /// The same as a value, of the form of [`output_schema`].
    pub structured: Value,
    /// Resources: address, name.
    pub links: Vec<(String, String)>,
}

impl ToolAnswer {
    /// An answer in a line.
    pub fn new(answer: impl Into<String>) -> Self {
        Self { answer: answer.into(), ..Self::default() }
    }

    /// Adds a fact, unless it is empty.
    pub fn fact(&mut self, fact: impl Into<String>) {
        let fact = fact.into();
        if !fact.is_empty() {
            self.facts.push(fact);
        }
    }

    /// The answer with as many rows as fit, which says what is left out and how to get it.
    pub fn finish(mut self) -> FinishedAnswer {
        if self.next.is_empty() {
            let summary = NextQuestion::new("summary", "");
            self.next.push(match &self.recording {
                Some(handle) => summary.with("recording", handle.as_str()),
                None => summary,
            });
        }
        let lines: Vec<String> = self.rows.iter().map(AnswerRow::text).collect();
        let values: Vec<Value> = self.rows.iter().map(AnswerRow::value).collect();
        let sizes = lines
            .iter()
            .zip(&values)
            .map(|(line, value)| weight(line) + weight(&value.to_string()) + 8);
        // The frame with the longest sentence about the rest.
        let frame = self.framed(&[], &[]);
        let mut room = ANSWER_BUDGET.saturating_sub(frame.weight() + 40);
        let mut fitting = 0;
        for size in sizes {
            if size > room {
                break;
            }
            room -= size;
            fitting += 1;
        }
        let finished = self.framed(&lines[..fitting], &values[..fitting]);
        debug_assert!(finished.weight() <= ANSWER_BUDGET, "{}", finished.weight());
        finished
    }

    fn framed(&self, lines: &[String], values: &[Value]) -> FinishedAnswer {
        let answer = clip_sentences(&as_arguments(&self.answer), LONGEST_ANSWER);
        let coverage = clip_sentences(&self.coverage, LONGEST_COVERAGE);
        let mut text = answer.clone();
        let mut room = MOST_FACTS;
        for fact in self.facts.iter().map(|fact| clip_sentences(&as_arguments(fact), LONGEST_FACT))
        {
            let Some(left) = room.checked_sub(weight(&fact)) else { break };
            room = left;
            text.push('\n');
            text.push_str(&fact);
        }
        if !self.rows.is_empty() && !self.heading.is_empty() {
            text.push_str("\n\n");
            text.push_str(&self.heading);
        }
        for (at, line) in lines.iter().enumerate() {
            // Writing to a String does not fail.
            let _ = write!(text, "\n{}. {line}", self.offset + at + 1);
        }
        let all = self.total_rows.max(self.offset + self.rows.len());
        let shown = self.offset + lines.len();
        let left_out = all.saturating_sub(shown);
        let rest = (left_out > 0).then(|| {
            let way = self.rest.replace("{}", &shown.to_string());
            format!("{left_out} more not shown. {way}")
        });
        if let Some(rest) = &rest {
            text.push('\n');
            text.push_str(rest.trim_end());
        }
        if !coverage.is_empty() {
            text.push_str("\n\nCoverage: ");
            text.push_str(&coverage);
        }
        for next in self.next.iter().take(MOST_NEXT) {
            text.push_str("\nNext: ");
            text.push_str(&next.text(LONGEST_FACT));
        }
        let next = self.next.first().map(NextQuestion::value);
        let structured = json!({
            "answer": answer,
            "recording": self.recording,
            "rows": values,
            "left_out": left_out,
            "coverage": coverage,
            "next": next,
        });
        FinishedAnswer { text, structured, links: self.links.clone() }
    }
}

impl FinishedAnswer {
    /// The size of text, value and links.
    pub fn weight(&self) -> usize {
        let links = self.links.iter().map(|(address, name)| weight(address) + weight(name) + 60);
        weight(&self.text) + weight(&self.structured.to_string()) + links.sum::<usize>()
    }
}

/// The JSON Schema of structured answers: one form for all tools, short because clients send it with every list.
pub fn output_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "answer": { "type": "string" },
            "recording": { "type": ["string", "null"] },
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "kind": { "type": "string" },
                        "name": { "type": "string" },
                        "joules": { "type": ["number", "null"] },
                        "interval_joules": { "type": "array", "items": { "type": ["number", "null"] } },
                        "provenance": { "enum": ["measured", "modelled", "assumed"] },
                        "self_joules": { "type": ["number", "null"] },
                        "share": { "type": ["number", "null"] },
                    },
                    "required": ["kind", "name"],
                },
            },
            "left_out": { "type": "integer" },
            "coverage": { "type": "string" },
            "next": { "type": ["object", "null"] },
        },
        "required": ["answer", "rows", "left_out", "coverage"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_fit_and_say_what_is_left_out() {
        let mut answer = ToolAnswer::new("x".repeat(3000));
        answer.facts = vec!["ä".repeat(200); 5];
        answer.rest = "Ask again with offset {}.";
        answer.rows = (0..500).map(|n| AnswerRow::new("method", format!("m{n}"))).collect();
        let finished = answer.finish();
        assert!(finished.weight() <= ANSWER_BUDGET, "{}", finished.weight());
        let rows = finished.structured["rows"].as_array().map_or(0, Vec::len);
        assert!(rows > 5, "{rows}");
        assert_eq!(finished.structured["left_out"], 500 - rows);
        let sentence = format!("{} more not shown. Ask again with offset {rows}.", 500 - rows);
        assert!(finished.text.contains(&sentence), "{}", finished.text);
    }
}
