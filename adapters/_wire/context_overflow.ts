/** What tells that too much was asked for in a time, not in one prompt: such failures speak of tokens, too. */
const RATE =
  /\b(per (second|minute|min|hour|day|month)|tp[md]|rp[md]|rate limit\w*|throttl\w*|quota|please wait|slow down|too many requests)\b/;

/** A limit of a whole context, or of a prompt. */
const CONTEXT =
  /\b(context|prompt|input|sequence) ?(windows?|lengths?|sizes?|limits?|budget|capacity)\b|\bn ctx\b|\bmodel len(gth)?\b|\bseq len\b|\b(maximum|max) context\b/;

/** What is said to be more than a limit. */
const EXCEEDS =
  /\b(exceed\w*|overflow\w*|surpass\w*|too (long|large|big|many|much)|(longer|greater|larger|bigger|higher|more) than|(over|above|beyond) the|(not|n t|cannot) fit|run out|ran out|out of|reached)\b/;

/** Sentences that say it by themselves. */
const SENTENCES: readonly RegExp[] = [
  /\bmaximum ((prompt|input) length|context (length|window|size))\b/,
  /\b(fit|room) (into|in|within|inside) (the |your |its )?(model s )?context\b|\bnot enough context\b/,
  /\b(prompt|input|request|messages) (needs?|requires?) \d+\b/,
  /\b(prompt|input|inputs|context|sequence) (length |size |tokens )?(\d+ )?(must|should|has to|have to) (be|have) (less|fewer|smaller|shorter|at most|no more|no longer)\b/,
  /\bshorten (the |your )?(prompt|input|inputs|messages?|context|conversation|history)\b/,
  /\breduce (the |your )?(prompt|inputs?|context|conversation|history)\b(?! (rate|price|cost))/,
  /\btotal (number of )?tokens?\b.*\bexceed/,
  /\b(prompt|input|inputs|context|conversation|history|messages|chat)( text| length| tokens)?( (is|are|was|were|has become|got))?( far| much| way)? too (long|large|big)\b/,
  /\brequest( (is|was))? too long\b/,
  /\b(prompt|inputs?|context|messages|conversation) (\w+ ){0,3}?(exceeds?|exceeded|surpass\w*|is over|is beyond) (\w+ ){0,4}?(length|window|token limit|limit of tokens)\b/,
  /\bcontext( window| length)?( is)? full\b/,
  /\breduce (the )?(length|size|number) of (the |your )?(input |prompt )?(prompt|input|inputs|messages|context|conversation)\b/,
  /\binputs? tokens (and |plus )?maxtokens must be\b/,
  /\brange of input length should be\b/,
];

/** Tokens of what was sent, beside a limit; not of what was to be written. */
const SENT = /\b(input|inputs|prompt|prompts|request|requested|message|messages|context|total)\b/;
const TOKEN_LIMIT =
  /\btokens?\b.*\b(limit\w*|maximum|max|allow(s|ed)?|capacity|supports?|exceed)\b|\b(limit\w*|maximum|max|allow(s|ed)?|supports?)\b.*\btokens?\b/;
/** Sentences that say it with two numbers of tokens, or with one and the limit. */
const COUNTS: readonly RegExp[] = [
  /\btokens?\b.*\b\d+ (tokens )?exceeds \d+\b|\b\d+ tokens exceeds \d+\b/,
  /\b(supports?|allows?|accepts?|takes?)( only)? (up to|at most) \d+ (input |prompt |context )?tokens\b/,
  /\b(request|prompt|inputs?|messages|conversation|context) (contains?|has|have) \d+ tokens\b.*\b(limit|maximum|max|more than)\b/,
];
const WRITTEN = /\b(output|completion|maxtokens)\b/;

/** The member of a request that limits what is to be written; in a sentence "max tokens" may be of anything. */
const LIMIT_OF_OUTPUT =
  /\bmax_(?:new_|completion_|output_)?tokens\b|\bmax(?:New|Completion|Output)?Tokens\b/g;

/** How much of a message is read: whoever says it says it soon. */
const MAX_READ_CHARS = 10_000;

const TOO_MANY = /\btoo many (input |prompt )?tokens\b|\b(input|prompt) tokens too many\b/;

/** The same where the letters are no Latin ones. */
const OTHER_LETTERS = /(上下文|输入|输入文本|提示词|prompt)[^，。]{0,12}(过长|超长|超过|超出)/i;

const NAME =
  /context(length|window|size|limit).*(exceed|overflow|toolong|toolarge)|exceed\w*context|context(overflow|toolong)|(prompt|input)(is)?toolong|(prompt|input)tokenlimit|(prompt|input)(length|tokens?)exceed/;

/**
 * Whether a server's message says, in whatever words, that the prompt has no room in the model's context. Case and
 * punctuation play no part.
 *
 * @param isRefusedForRate Whether the status says that there is too much at once: "too many tokens" means that then.
 */
export function saysContextOverflow(message: string, isRefusedForRate = false): boolean {
  const read = message.slice(0, MAX_READ_CHARS);
  const words = read.replace(LIMIT_OF_OUTPUT, "maxtokens").toLowerCase()
    .replace(/(?<=\w)(\s{0,9})>=?(?=\s{0,9}\w)/g, " exceeds ").replace(/[^a-z0-9]+/g, " ");
  if (OTHER_LETTERS.test(read)) return true;
  if (SENTENCES.some((sentence) => sentence.test(words))) return !RATE.test(words);
  if (RATE.test(words)) return false;
  const exceeds = EXCEEDS.test(words);
  if (exceeds && CONTEXT.test(words)) return true;
  if (WRITTEN.test(words)) return false;
  if (COUNTS.some((sentence) => sentence.test(words))) return true;
  return exceeds && SENT.test(words) && TOKEN_LIMIT.test(words) ||
    (!isRefusedForRate && TOO_MANY.test(words));
}

/** Whether the name of an error, its letters and digits alone, says so. */
export function namesContextOverflow(letters: string): boolean {
  return NAME.test(letters);
}
