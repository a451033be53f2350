/** Writes a line for whoever runs a task, beside what the task itself prints. */
export function say(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}
