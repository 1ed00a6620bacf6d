//! Answers of tools.

mod answer_row;
mod answer_text;
mod next_question;
mod tool_answer;
mod tool_error;

pub use self::answer_row::AnswerRow;
pub use self::answer_text::{
    clip, clip_sentences, counted, is_named, percent, period, seconds, weight,
};
pub use self::next_question::NextQuestion;
pub use self::tool_answer::{ANSWER_BUDGET, FinishedAnswer, ToolAnswer, output_schema};
pub use self::tool_error::ToolError;
