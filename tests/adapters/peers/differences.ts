/** Where the official clients read a fixture otherwise, and why the models do not. */
export const DIFFERENCES: Readonly<Record<string, string>> = {
  "oa-json-choices-empty":
    "an answer without a choice is no reply; the client hands on that there is none",
  "oa-json-content-parts": "a text in parts is a text; the client hands the parts on",
  "oa-json-legacy-function-call":
    "a call in the old form is one; the client's type has it in another member",
  "oa-sse-tool-dup-index":
    "another id is another call; the client glues the two into one of the second name",
  "oa-sse-tool-no-index": "a call without an index is one; the client fails",
  "oa-sse-choices-null": "a chunk without choices says nothing; the client fails on it",
  "oa-sse-think-tags": "thoughts in the text are reasoning; the client leaves them in",
  "oa-sse-json-instead": "a body where a stream was asked for is a reply; the client fails",
  "oa-sse-finish-abort":
    "a server that gave up is a failed call; the client takes the piece for the reply",
};
