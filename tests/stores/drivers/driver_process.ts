/** A child process that drives a run, see `jsonl_driver.ts`. */
export interface DriverProcess {
  /** Gives it a command and waits for the answer. */
  ask(command: string): Promise<string>;
  /** Gives it a command and does not wait. */
  send(command: string): Promise<void>;
  /** The answer to the oldest command that has not been asked for. */
  answer(): Promise<string>;
  /** Sends it a signal. */
  kill(signal: Deno.Signal): void;
  /** Kills it, if it is not dead, and waits for its death. */
  end(): Promise<void>;
}

/**
 * Starts a driver of a run.
 *
 * @param before A command line that the driver's is put behind, such as one that sets a limit.
 */
export function driverProcess(
  dir: string,
  runId: string,
  before: readonly string[] = [],
): DriverProcess {
  const script = new URL("./jsonl_driver.ts", import.meta.url).pathname;
  const folder = [`--allow-read=${dir}`, `--allow-write=${dir}`];
  const deno = ["run", "--quiet", "--no-check", "--no-config", "--no-lock", "--no-prompt"];
  const line = [...before, Deno.execPath(), ...deno, ...folder, script, dir, runId];
  const child = new Deno.Command(line[0]!, {
    args: line.slice(1),
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";

  async function answer(): Promise<string> {
    while (!rest.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the driver ended before it answered: "${rest}"`);
      rest += value;
    }
    const end = rest.indexOf("\n");
    const line = rest.slice(0, end);
    rest = rest.slice(end + 1);
    return line;
  }
  async function send(command: string): Promise<void> {
    await writer.write(new TextEncoder().encode(`${command}\n`));
  }
  return {
    send,
    answer,
    async ask(command) {
      await send(command);
      return await answer();
    },
    kill: (signal) => child.kill(signal),
    async end() {
      try {
        child.kill("SIGKILL");
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
      await child.status;
      await writer.abort().catch(() => {});
      await reader.cancel();
    },
  };
}
