const encoder = new TextEncoder();

/** Writes a line to standard output, all of it, before anything else happens. */
export function print(line: string): void {
  writeAll(Deno.stdout, `${line}\n`);
}

/** Writes a line to standard error. */
export function printError(line: string): void {
  writeAll(Deno.stderr, `${line}\n`);
}

function writeAll(stream: { writeSync(bytes: Uint8Array): number }, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(stream.writeSync(bytes));
}
