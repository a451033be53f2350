import { closeSync, openSync, readSync, statSync } from "node:fs";
import { isDeno } from "../../types/mod.ts";

/** The number by which a database says that it holds runs. */
export const APPLICATION_ID = 0x506f4c70;

/** Where the header of a database has its numbers, and the page of its tables. */
const OFFSETS = { userVersion: 60, applicationId: 68, pageType: 100, cells: 103 } as const;
const HEADER_BYTES = 108;
const MAGIC = "SQLite format 3\0";
/** The type of a page that holds rows of a table. */
const TABLE_LEAF = 0x0d;

/**
 * Refuses a file that SQLite would take and that is not, and cannot become, a database of runs. It is looked at without
 * SQLite, which changes some files by opening them: it takes over a journal that was left, and makes files beside them.
 *
 * @throws What is wrong with the file.
 */
export function refuseForeignFile(path: string): void {
  const header = withFile(path, (file) => bytesAt(file, 0, HEADER_BYTES));
  if (header === undefined || header.byteLength === 0) return;
  const magic = new TextDecoder().decode(header.buffer.slice(0, MAGIC.length));
  if (magic !== MAGIC || header.byteLength < HEADER_BYTES) {
    throw new Error("it is not a database: its first bytes are not those of SQLite");
  }
  const written = ownerOf(header);
  if ((written === "nobody" ? walOwner(`${path}-wal`) : written) === "another") {
    throw foreignTables();
  }
}

/** The error for a database that is another program's. */
export function foreignTables(): Error {
  return new Error("it holds another program's tables: use a path of its own for the runs");
}

/** Whose a database is; nobody's where it has neither a table nor a number that says so. */
type Owner = "runs" | "another" | "nobody";

/** Whose a database is by its first page. */
function ownerOf(page: DataView): Owner {
  const application = page.getUint32(OFFSETS.applicationId);
  if (application === APPLICATION_ID) return "runs";
  const isEmpty = application === 0 && page.getUint32(OFFSETS.userVersion) === 0 &&
    page.getUint8(OFFSETS.pageType) === TABLE_LEAF && page.getUint16(OFFSETS.cells) === 0;
  return isEmpty ? "nobody" : "another";
}

/** What a WAL has: a header with the size of a page, then frames, each a header with its page's number and the page. */
const WAL = { headerBytes: 32, pageSize: 8, frameBytes: 24 } as const;
/** How many frames are looked at: a database whose first page is still in the WAL alone has few. */
const MAX_FRAMES = 10_000;

/** {@link ownerOf} the first page as a WAL has it last; nobody where it has none. */
function walOwner(path: string): Owner {
  return withFile(path, ownerInWal) ?? "nobody";
}

function ownerInWal(file: number): Owner {
  const header = bytesAt(file, 0, WAL.headerBytes);
  if (header.byteLength !== WAL.headerBytes) return "nobody";
  const size = header.getUint32(WAL.pageSize);
  let owner: Owner = "nobody";
  for (let frame = 0; frame < MAX_FRAMES; frame++) {
    const at = WAL.headerBytes + frame * (WAL.frameBytes + size);
    const start = bytesAt(file, at, WAL.frameBytes);
    if (start.byteLength < WAL.frameBytes) break;
    if (start.getUint32(0) !== 1) continue;
    const page = bytesAt(file, at + WAL.frameBytes, HEADER_BYTES);
    if (page.byteLength === HEADER_BYTES) owner = ownerOf(page);
  }
  return owner;
}

/** What a file that is there and may be read holds. Absent: it is not, or may not, which is left to SQLite. */
function withFile<T>(path: string, look: (file: number) => T): T | undefined {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  try {
    return look(file);
  } finally {
    closeSync(file);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined) return undefined;
    if (!info.isFile()) throw new Error("it is not a file");
    return openSync(path, "r");
  } catch (error) {
    if (isDeno() && error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** So many bytes of a file, or as many as it has there. */
function bytesAt(file: number, offset: number, count: number): DataView<ArrayBuffer> {
  const bytes = new Uint8Array(count);
  let length = 0;
  while (length < count) {
    const read = readSync(file, bytes, length, count - length, offset + length);
    if (read === 0) break;
    length += read;
  }
  return new DataView(bytes.buffer, 0, length);
}
