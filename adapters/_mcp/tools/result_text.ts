import { fillText, isJsonArray, isJsonObject, type JsonValue } from "../../../types/mod.ts";
import type { RpcResult } from "../json_rpc.ts";
import type { McpTexts } from "./mcp_texts.ts";

/**
 * What of a result is shown to a model: its texts, each on lines of its own; of what is no text, which kind and how
 * large. The structured form counts where there is nothing else, since servers repeat it as text; it is shown as the server
 * wrote it, with numbers of any length. Absent: there is nothing.
 */
export function resultText({ result, structured }: RpcResult, texts: McpTexts): string | undefined {
  const { content } = result;
  const parts = isJsonArray(content) ? content.map((part) => partText(part, texts)) : [];
  if (parts.length > 0) return parts.join("\n");
  return structured?.compact();
}

function partText(part: JsonValue, texts: McpTexts): string {
  if (!isJsonObject(part)) return fillText(texts.unknownPart, { type: "(none)" });
  const { type, text, data, mimeType, uri, name, resource } = part;
  if (type === "text" && typeof text === "string") return text;
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return bytesText(mimeType, data, texts);
  }
  if (type === "resource_link" && typeof uri === "string") {
    return fillText(texts.link, { name: typeof name === "string" ? name : uri, uri });
  }
  if (type === "resource" && isJsonObject(resource)) {
    if (typeof resource.text === "string") return resource.text;
    if (typeof resource.blob === "string") {
      return bytesText(resource.mimeType, resource.blob, texts);
    }
  }
  return fillText(texts.unknownPart, { type: typeof type === "string" ? type : "(none)" });
}

function bytesText(mimeType: JsonValue | undefined, base64: string, texts: McpTexts): string {
  const digits = base64.replace(/=+$/, "").length;
  return fillText(texts.bytes, {
    mimeType: typeof mimeType === "string" ? mimeType : "application/octet-stream",
    bytes: Math.floor(digits * 3 / 4),
  });
}
