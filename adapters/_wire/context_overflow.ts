/** What tells that too much was asked for in a time, not in one prompt: such failures speak of tokens, too. */
const RATE =
  /\b(per (second|minute|min|hour|day|month)|tp[md]|rp[md]|rate limit\w*|throttl\w*|quota|please wait|slow down|too many requests)\b/;

/** A limit of a whole context, or of a prompt. */
const CONTEXT =
  /\b(context|prompt|input|sequence) ?(windows?|lengths?|sizes?|limits?|budget|capacity)\b|\bn ctx\b|\bmodel length\b/;

/** What is said to be more than a limit. */
const EXCEEDS =
  /\b(exceed\w*|overflow\w*|surpass\w*|too (long|large|big|many|much)|(longer|greater|larger|bigger|higher|more) than|(over|above|beyond) the|(not|n t|cannot) fit|run out|ran out|out of)\b/;

/** Sentences that say it by themselves. */
const SENTENCES: readonly RegExp[] = [
  /\bmaximum (context|prompt|input) length\b/,
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
  /\btokens?\b.*\b(limit\w*|maximum|max|allowed|capacity|supports?|exceed)\b|\b(limit\w*|maximum|max|allowed|supports?)\b.*\btokens?\b/;
const WRITTEN = /\b(output|completion|maxtokens)\b/;

/** The member of a request that limits what is to be written; in a sentence "max tokens" may be of anything. */
const LIMIT_OF_OUTPUT =
  /\bmax_(?:new_|completion_|output_)?tokens\b|\bmax(?:New|Completion|Output)?Tokens\b/g;

/** How much of a message is read: whoever says it says it soon. */
const MAX_READ_CHARS = 10_000;

const TOO_MANY = /\btoo many (input |prompt )?tokens\b/;

const NAME =
  /context(length|window|size|limit).*(exceed|overflow|toolong|toolarge)|exceed\w*context|contextoverflow|(prompt|input)(is)?toolong|(prompt|input)tokenlimit/;

/**
 * Whether a server's message says, in whatever words, that the prompt has no room in the model's context. Case and
 * punctuation play no part.
 *
 * @param isRefusedForRate Whether the status says that there is too much at once: "too many tokens" means that then.
 */
export function saysContextOverflow(message: string, isRefusedForRate = false): boolean {
  const words = message.slice(0, MAX_READ_CHARS).replace(LIMIT_OF_OUTPUT, "maxtokens").toLowerCase()
    .replace(/[^a-z0-9]+/g, " ");
  if (SENTENCES.some((sentence) => sentence.test(words))) return !RATE.test(words);
  if (!EXCEEDS.test(words) || RATE.test(words)) return false;
  if (CONTEXT.test(words)) return true;
  if (WRITTEN.test(words)) return false;
  return SENT.test(words) && TOKEN_LIMIT.test(words) || (!isRefusedForRate && TOO_MANY.test(words));
}

/** Whether the name of an error, its letters and digits alone, says so. */
export function namesContextOverflow(letters: string): boolean {
  return NAME.test(letters);
}
