import { type Effort, race, type Raced, type Row, wallMs } from "./measure.ts";

const MOD = new URL("../../mod.ts", import.meta.url).href;
const HELD_RUN = new URL("held_run.ts", import.meta.url).href;

/** What the library costs a process: the memory that a long run holds, and the time that an import takes. */
export async function processRows({ rounds }: Effort): Promise<readonly Row[]> {
  const folder = Deno.makeTempDirSync();
  try {
    const nothing = program(folder, "nothing", "export {};");
    const crypto = program(folder, "crypto", `import "node:crypto";`);
    const library = program(folder, "library", `import ${JSON.stringify(MOD)};`);
    const start = (path: string) => () => runDeno([path]);
    return [
      await memoryRow(),
      importRow("an empty one", await race(wallMs, rounds, start(library), start(nothing)), 15),
      importRow(
        "one that imports node:crypto",
        await race(wallMs, rounds, start(library), start(crypto)),
        8,
      ),
    ];
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

function program(folder: string, name: string, code: string): string {
  const path = `${folder}/${name}.ts`;
  Deno.writeTextFileSync(path, `${code}\n`);
  return path;
}

function importRow(above: string, { subject, floor }: Raced, atMost?: number): Row {
  return {
    name: `process: import of mod.ts above ${above}`,
    value: subject - floor,
    unit: "ms",
    ...(atMost !== undefined && { goal: { atMost } }),
    detail: `${subject.toFixed(1)} - ${floor.toFixed(1)} ms`,
  };
}

/** What a process holds, in bytes. */
interface Held {
  readonly alive: number;
  readonly resident: number;
}

async function memoryRow(): Promise<Row> {
  const [empty, run] = [await held("0"), await held("5000")];
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return {
    name: "process: memory of a run of 5000 steps above an empty one",
    value: (run.alive - empty.alive) / 1e6,
    unit: "MB",
    goal: { atMost: 40 },
    detail: `${megabytes(run.alive)} - ${megabytes(empty.alive)}; resident, garbage included: ${
      megabytes(run.resident)
    } - ${megabytes(empty.resident)}`,
  };
}

async function held(steps: string): Promise<Held> {
  return JSON.parse(await runDeno(["--v8-flags=--expose-gc", HELD_RUN, steps]));
}

async function runDeno(args: readonly string[]): Promise<string> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-config", "--no-lock", ...args],
  });
  const { success, stdout, stderr } = await command.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
