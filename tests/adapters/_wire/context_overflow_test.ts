import { assertEquals } from "@std/assert";
import {
  namesContextOverflow,
  saysContextOverflow,
} from "../../../adapters/_wire/context_overflow.ts";

/** From documentation and public reports: OpenAI, Anthropic, Gemini, Bedrock, Groq, Mistral, xAI and so on. */
const OVERFLOWS = [
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
  "ValidationException: Input is too long for requested model.",
  "Please reduce the length of the messages or completion.",
  "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
  "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9000>= n_ctx: 4096).",
  "invalid params, context window exceeds limit (2013)",
  "Context length exceeded",
  "This model's maximum context length is 4097 tokens. However, your messages resulted in 5009 tokens.",
  "prompt is too long: 213000 tokens > 200000 maximum",
  "PROMPT-IS-TOO-LONG",
  "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
  "the request exceeds the available context size, try increasing it",
  "Input tokens exceed the configured limit of 272,000 tokens. Your messages resulted in 300,000 tokens.",
  "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
  "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
  "prompt length (5000) exceeds maximum input length (4096)",
  "Requested token count exceeds the model's maximum context length of 4096 tokens.",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "prompt token count of 200000 exceeds the limit of 128000",
  "Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)",
  "prompt too long; exceeded max context length by 9 tokens",
  "Range of input length should be [1, 30720]",
  "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`",
  "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.",
  "litellm.ContextWindowExceededError: context window exceeded",
  "The conversation is too long for this model",
  "Request does not fit in the context window",
  "tokens in request more than max tokens allowed",
  "Prompt exceeds max length",
  "Input length 5000 exceeds maximum length 4096",
  "prompt tokens too long",
  "Requested tokens (5000) exceed context window of 4096",
  "the context is full",
  "Your request is too long for the model's context",
  "error: context_length_exceeded",
  "The total number of tokens in the request exceeds the maximum allowed",
  "The total number of tokens (input + output) exceeds the model's limit of 32768",
  "tokens exceed the limit: 33000 > 32768",
  "The input exceeds the model's maximum context",
  "This model only supports up to 32768 tokens, but you provided 40000 tokens",
  "Your prompt has 40000 tokens, which is more than the model allows (32768)",
  "The model's context size is 4096 tokens; the prompt needs 5000",
  "the prompt does not fit into the context",
  "Model context limit reached",
  "input tokens too many",
  "string too long: input must have less than 32768 tokens",
  "Please shorten the conversation.",
  "Prompt length (9000) must be less than or equal to max_model_len (8192)",
  "seq len 9000 > max seq len 8192",
  "input_tokens + max_tokens > max_model_len",
  "This model's maximum context window is 8k tokens; you've used 9k",
  "Not enough context: need 9000, have 8192",
  "Reduce your prompt: it has 9000 tokens and the maximum is 8192.",
  "Your request contains 70000 tokens, the maximum is 65536.",
  "Request body too large for this model. Max size: 8000 tokens.",
  "上下文长度超过限制",
  "Prompt 超长",
];

const OTHERS = [
  "ThrottlingException: Too many tokens, please wait before trying again.",
  "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 4000.",
  "Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8000",
  "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
  "You exceeded your current quota, please check your plan: input tokens limit",
  "max_tokens is too large: 5000. This model supports at most 4096 completion tokens.",
  "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
  "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
  "max_tokens (20000) exceeds the maximum number of output tokens (8192) for the model",
  "'context' must be a string",
  "exceed the configured limit",
  "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64",
  "The image is too large: it exceeds 5 MB",
  "input image exceeds the maximum size of 5 MB",
  "maxTokens exceeds the maximum of 8192 tokens that the model supports for this request",
  "messages[0].content is too long",
  "Request is too large",
  "Invalid token",
  "",
  "max_tokens must be at most 8192",
  "This model supports at most 16384 completion tokens, whereas you provided 100000.",
  "`max_tokens` must be greater than `thinking.budget_tokens`",
  "You have exceeded your token quota for the day",
  "Daily token limit reached",
  "context deadline exceeded",
  "This request took too long",
  "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  "Please reduce the input rate",
  "请求过于频繁",
];

Deno.test("saysContextOverflow() knows a full context in many words, and nothing else", () => {
  for (const message of OVERFLOWS) assertEquals(saysContextOverflow(message), true, message);
  for (const message of OTHERS) assertEquals(saysContextOverflow(message), false, message);
});

Deno.test("saysContextOverflow() reads the beginning of a message alone, however long it is", () => {
  for (const word of ["exceeds input tokens ", "prompt a b ", "max_tokens "]) {
    assertEquals(saysContextOverflow(`exceed input ${word.repeat(1_000_000)}`), false, word);
  }
});

Deno.test("namesContextOverflow() knows it by name", () => {
  const names = [
    "contextlengthexceeded",
    "contextwindowexceeded",
    "exceedcontextsizeerror",
    "contextwindowexceedederror",
    "modelcontextwindowexceeded",
    "prompttoolong",
    "contexttoolong",
    "modelmaxprompttokensexceeded",
    "inputlengthexceeded",
  ];
  for (const name of names) assertEquals(namesContextOverflow(name), true, name);
  for (
    const name of ["ratelimitexceeded", "tokenlimit", "badrequesterror", "stringabovemaxlength"]
  ) {
    assertEquals(namesContextOverflow(name), false, name);
  }
});
