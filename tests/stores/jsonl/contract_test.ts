import type { RunStore } from "../../../ports/mod.ts";
import { jsonlStoreOver } from "../../../stores/_jsonl/store.ts";
import type { RunCatalog } from "../../../types/mod.ts";
import { storeContract } from "../../contract/store_contract.ts";
import { type FaultyFiles, faultyFiles } from "../drivers/faulty_files.ts";

interface TestStore extends RunStore, RunCatalog {
  readonly dir: string;
  readonly disk: FaultyFiles;
}

const testing = storeContract<TestStore>({
  makeStore: () => openStore(Deno.makeTempDirSync()),
  catalog: (store) => store,
  reopen: ({ dir }) => openStore(dir),
  crash({ dir, disk }) {
    for (const file of disk.open) file.close();
    return openStore(dir);
  },
  openBeside: ({ dir }) => openStore(dir),
  failNextWrite({ disk }) {
    disk.onCall = ({ op }) => {
      if (op !== "write") return;
      disk.onCall = () => {};
      throw new Error("No space left on device (os error 28)");
    };
  },
  dispose({ dir, disk }) {
    for (const file of disk.open) file.close();
    try {
      Deno.removeSync(dir, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  },
});

function openStore(dir: string): TestStore {
  const disk = faultyFiles();
  return { ...jsonlStoreOver(disk, dir), dir, disk };
}

for (const { name, run } of testing) Deno.test(`jsonlStore() ${name}`, run);
