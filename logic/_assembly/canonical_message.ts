import { canonicalJson, type ContentBlock, type Message } from "../../types/mod.ts";

/** What the prompt digest takes of a message: the canonical JSON of its role, content and provider data, written out. */
export function canonicalMessage({ role, content, providerData }: Message): string {
  const data = providerData === undefined ? "" : `"providerData":${canonicalJson(providerData)},`;
  return `{"content":[${content.map(canonicalBlock).join(",")}],${data}"role":"${role}"}`;
}

function canonicalBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return `{"text":${JSON.stringify(block.text)},"type":"text"}`;
    case "tool_call": {
      const args = canonicalJson(block.arguments);
      return `{"arguments":${args},"name":${JSON.stringify(block.name)},${idOf(block)}"tool_call"}`;
    }
    case "tool_result": {
      const text = JSON.stringify(block.text);
      return `{"isError":${block.isError},"text":${text},${idOf(block)}"tool_result"}`;
    }
  }
}

function idOf({ toolCallId }: { readonly toolCallId: string }): string {
  return `"toolCallId":${JSON.stringify(toolCallId)},"type":`;
}
