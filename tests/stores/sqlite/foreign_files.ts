import { DatabaseSync } from "node:sqlite";
import { digest } from "../../../types/mod.ts";

/** SQL that makes another program's database, by what is special about it. */
const DATABASES: Readonly<Record<string, string>> = {
  "a table": "CREATE TABLE t(a)",
  "a table named as ours": "CREATE TABLE runs(id INTEGER PRIMARY KEY, run_id TEXT, finished)",
  "a view": "CREATE VIEW v AS SELECT 1",
  "an application id": "PRAGMA application_id = 7; CREATE TABLE t(a)",
  "an application id alone": "PRAGMA application_id = 7",
  "a user version alone": "PRAGMA user_version = 7",
  "large pages": "PRAGMA page_size = 65536; CREATE TABLE t(a)",
  "small pages": "PRAGMA page_size = 512; CREATE TABLE t(a)",
  "texts in UTF-16": "PRAGMA encoding = 'UTF-16'; CREATE TABLE t(a)",
  "an automatic vacuum": "PRAGMA auto_vacuum = FULL; CREATE TABLE t(a)",
  "a journal of its own kind": "PRAGMA journal_mode = PERSIST; CREATE TABLE t(a)",
  "many tables": Array.from({ length: 99 }, (_, i) => `CREATE TABLE t${i}(a)`).join(";"),
  "a WAL": "PRAGMA journal_mode = WAL; CREATE TABLE t(a)",
};

/** Files that are no database. */
const OTHERS: Readonly<Record<string, string>> = {
  "a text": "no database\n".repeat(100),
  "a short text": "x",
  "the magic alone": "SQLite format 3\0",
  "the magic and junk": `SQLite format 3\0${"x".repeat(9_000)}`,
};

/**
 * Puts files into a folder, each in a folder of its own, that other programs made: databases that are closed, that a
 * program has open (they have files beside them), or that a program left when it was killed.
 *
 * @returns The path of each by what it is; what keeps some of them open is closed at the end of the scope.
 */
export function foreignFiles(
  dir: string,
): Disposable & { readonly paths: ReadonlyMap<string, string> } {
  const paths = new Map<string, string>();
  const open: DatabaseSync[] = [];
  const place = (what: string): string => {
    const folder = `${dir}/${what.replaceAll(" ", "-")}`;
    Deno.mkdirSync(folder);
    paths.set(what, `${folder}/file`);
    return `${folder}/file`;
  };
  for (const [what, sql] of Object.entries(DATABASES)) {
    const database = new DatabaseSync(place(what));
    database.exec(sql);
    database.close();
  }
  for (const what of ["a WAL that is open", "a WAL that was left"]) {
    const path = place(what);
    const database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1)");
    if (what.endsWith("open")) open.push(database);
    else leave(database, path);
  }
  const journal = place("a journal that was left");
  const database = new DatabaseSync(journal);
  database.exec("CREATE TABLE t(a); BEGIN; INSERT INTO t VALUES (1)");
  leave(database, journal);
  for (const [what, text] of Object.entries(OTHERS)) Deno.writeTextFileSync(place(what), text);
  return {
    paths,
    [Symbol.dispose]() {
      for (const database of open) database.close();
    },
  };
}

/** Leaves a database as the death of the program that has it open would. */
function leave(database: DatabaseSync, path: string): void {
  const folder = path.replace(/\/file$/, "");
  const files = [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
  const bytes = files.map((file) => Deno.readFileSync(file));
  database.close();
  files.forEach((file, i) => Deno.writeFileSync(file, bytes[i] ?? new Uint8Array()));
}

/** What must not change of what is in a folder: names, kinds, bytes, modes, times, owners, links. */
export function folderFacts(dir: string): readonly string[] {
  return [...Deno.readDirSync(dir)].map(({ name }) => name).sort().flatMap((name) => {
    const path = `${dir}/${name}`;
    const { isFile, isDirectory, size, mode, mtime, ino, uid, gid, nlink } = Deno.lstatSync(path);
    const facts = [name, mode, mtime?.getTime(), ino, uid, gid, nlink, size];
    if (isFile) facts.push(digest(new TextDecoder("latin1").decode(Deno.readFileSync(path))));
    return [facts.join(" "), ...(isDirectory ? folderFacts(path) : [])];
  });
}
