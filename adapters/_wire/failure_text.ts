import { excerpt, type ModelCallErrorKind } from "../../types/mod.ts";

/** How much of a page's title is shown, in code points. */
const MAX_TITLE_CHARS = 100;

/** A text as the page that it is, by its title. Absent: it is no HTML. */
export function htmlPage(text: string): string | undefined {
  const start = text.trimStart().slice(0, 10_000);
  if (
    !/^(<\?xml\b[^>]{0,200}>\s*)?(<!--|<!doctype html|<(html|head|body|title|h1|p|div|center)\b)/i
      .test(start)
  ) {
    return undefined;
  }
  const title = /<(title|h1)\b[^>]{0,100}>([^<]{1,500})/i.exec(start)?.[2]?.trim() ?? "";
  const shown = JSON.stringify(excerpt(title.replace(/\s+/g, " "), MAX_TITLE_CHARS));
  return title === "" ? "an HTML page" : `an HTML page titled ${shown}`;
}

/** What is known of a failure that a server told. */
export interface ToldFailure {
  readonly status: number;
  readonly kind: ModelCallErrorKind;
  /** What the server says, as it came. */
  readonly message: string;
  /** The same, fit to be shown. */
  readonly quoted: string;
  /** Where the request went, without its query. */
  readonly address: string;
  /** The model that was asked for. */
  readonly model: string;
}

/** The text of an error for a failure that a server told. */
export function failureText(failure: ToldFailure): string {
  const { status, kind, message, quoted, address } = failure;
  const answered = `the server answered ${status} (${kind})`;
  const page = htmlPage(message);
  const said = page ?? (message.trim() === "" ? "nothing more" : quoted);
  const place = `POST ${address}`;
  if (kind === "not_found") return `${answered} to ${place}: ${whatIsMissing(failure)}${said}`;
  return page === undefined ? `${answered}: ${said}` : `${answered}: ${page} from ${place}`;
}

/** Servers answer alike for a path and for a model that they do not have; what they say may tell. */
function whatIsMissing({ message, address, model }: ToldFailure): string {
  const names = [/\b(models?|deployments?|engines?)\b/i.test(message), namesModel(message, model)];
  if (names.includes(true)) return "there is no such model: ";
  const says = /^\W*(404\W*)?((page|path|route|url|resource) )?(is |was )?(not found|unknown)\W*$/i;
  const speaksOfPath =
    /\b(paths?|routes?|urls?|pages?|cannot post|endpoint or method|(no such|unknown|invalid|unexpected) endpoint|endpoint not found)\b/i;
  if (message.trim() !== "" && htmlPage(message) === undefined) {
    if (!says.test(message) && !speaksOfPath.test(message)) return "";
  }
  const hasVersion = /\/v\d/.test(address);
  return `there is no such path${hasVersion ? "" : " (baseUrl may lack /v1 at its end)"}: `;
}

/** Whether a text names the model: a name of one or two letters is in many texts. */
function namesModel(text: string, model: string): boolean {
  return model.length > 2 && text.includes(model);
}
