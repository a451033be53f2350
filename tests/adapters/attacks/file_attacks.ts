import type { Attack } from "./attack.ts";

/** Ways to read what lies outside the folder. */
export const READING_ATTACKS: readonly Attack[] = [
  {
    name: "reading by every function of Deno",
    code: `const path = OUTSIDE + "/secret.txt";
      for (const read of [Deno.readTextFileSync, Deno.readTextFile, Deno.readFileSync, Deno.readFile, Deno.open, Deno.openSync])
        reached(await attempt(() => read(path)).then((it) => !/NotCapable/.test(String(it)) && it))`,
  },
  {
    name: "reading by every function of Node's",
    code: `const fs = await import("node:fs"), path = OUTSIDE + "/secret.txt";
      const ways = [() => fs.readFileSync(path, "utf8"), () => fs.openSync(path), () => fs.promises.readFile(path, "utf8"),
        () => fs.openAsBlob(path).then((blob) => blob.text()), () => fs.promises.open(path).then((file) => file.readFile("utf8")),
        () => new Promise((done) => fs.readFile(path, "utf8", (no, text) => done(no ?? text))),
        async () => { let text = ""; for await (const piece of fs.createReadStream(path, "utf8")) text += piece; return text }];
      for (const way of ways) reached(await attempt(way).then((it) => !/NotCapable|EACCES|EPERM/.test(String(it)) && it))`,
  },
  {
    name: "paths with ..",
    code:
      `const paths = [FOLDER + "/../out/secret.txt", FOLDER + "//..//out/secret.txt", FOLDER + "/./../out/./secret.txt",
        FOLDER + "/own.txt/../../out/secret.txt", FOLDER + "/none/../../out/secret.txt", FOLDER + "/..\\0/out/secret.txt",
        "." + FOLDER + "/../out/secret.txt", "/proc/self/root" + OUTSIDE + "/secret.txt", "/proc/thread-self/cwd" + OUTSIDE + "/secret.txt"];
      for (const path of paths) console.log(await attempt(() => Deno.readTextFileSync(path)))`,
  },
  {
    name: "URLs with ..",
    code:
      `const urls = ["/../out/", "/%2e%2e/out/", "/..%2fout/", "/%2e%2e%2fout%2f", "/.%2e/out/", "/..%5c..%5cout/", "//../out/", "/..;/out/", "/%252e%252e/out/"];
      for (const way of urls) {
        const url = "file://" + FOLDER + way + "secret.txt";
        for (const type of ["text", "bytes", "json"])
          console.log(await attempt(async () => (await import(url, { with: { type } })).default));
        console.log(await attempt(() => Deno.readTextFileSync(new URL(url))), await attempt(() => fetch(url).then((it) => it.text())));
      }`,
  },
  {
    name: "import() as text, bytes and JSON",
    code:
      `for (const [name, type] of [["txt", "text"], ["txt", "bytes"], ["json", "json"], ["json", "text"], ["txt", undefined]]) {
        const url = "file://" + OUTSIDE + "/secret." + name;
        const read = await attempt(async () => (await import(url, type && { with: { type } })).default);
        console.log(read instanceof Uint8Array ? new TextDecoder().decode(read) : read);
      }`,
  },
  {
    name: "imports of modules that import",
    code: `const url = "file://" + OUTSIDE + "/secret.txt";
      const sources = ["export { default } from '" + url + "' with { type: 'text' }", "export default (await import('" + url + "', { with: { type: 'text' } })).default",
        "import source a from '" + url + "'; export default a", "import defer * as a from '" + url + "'; export default a"];
      for (const source of sources) {
        console.log(await attempt(async () => (await import("data:text/javascript," + encodeURIComponent(source))).default));
        console.log(await attempt(async () => (await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })))).default));
        console.log(await attempt(async () => (await import(files({ "a.mjs": source }))).default));
      }`,
  },
  {
    name: "fetch of files",
    code:
      `for (const url of ["file://" + OUTSIDE + "/secret.txt", "file://localhost" + OUTSIDE + "/secret.txt", "FILE:" + OUTSIDE + "/secret.txt"])
        console.log(await attempt(() => fetch(url).then((it) => it.text())))`,
  },
  {
    name: "the environment of the processes above",
    code: `const { ppid } = Deno;
      const pids = ["self", "thread-self", "1", ppid, ppid - 1, ppid - 2, ppid - 3, process.pid, process.pid - 2, process.pid - 3];
      for (const pid of pids) for (const file of ["environ", "task/" + pid + "/environ", "cmdline", "mem", "maps", "root" + OUTSIDE + "/secret.txt", "cwd" + OUTSIDE + "/secret.txt"]) {
        const path = "/proc/" + pid + "/" + file;
        console.log(await attempt(() => Deno.readTextFileSync(path)), await attempt(async () => (await import("file://" + path, { with: { type: "text" } })).default));
        console.log(await attempt(() => fetch("file://" + path).then((it) => it.text())));
      }`,
  },
  {
    name: "/dev and /sys",
    code:
      `for (const path of ["/dev/stdin", "/dev/fd/0", "/dev/mem", "/dev/shm", "/sys/kernel/uevent_helper", "/dev/pts/0", "/dev/tty"])
        reached(await attempt(() => Deno.openSync(path)).then((it) => typeof it === "object" && path))`,
  },
  {
    name: "the environment",
    code: `import { env } from "node:process";
      for (const way of [() => Deno.env.toObject(), () => Deno.env.get("POLYLOOP_TEST_SECRET"), () => env.POLYLOOP_TEST_SECRET, () => ({ ...env }), () => JSON.stringify(process.env), () => Object.entries(process.env)])
        console.log(await attempt(way))`,
  },
  {
    name: "asking for a permission",
    code: `for (const name of ["read", "write", "env", "run", "ffi", "sys", "net"])
        reached(await attempt(() => Deno.permissions.request({ name })).then((it) => it.state === "granted" && name))`,
  },
  {
    name: "what is there outside",
    code: `const fs = await import("node:fs"), path = OUTSIDE + "/secret.txt";
      const ways = [() => Deno.statSync(path), () => Deno.lstatSync(path), () => Deno.realPathSync(path), () => [...Deno.readDirSync(OUTSIDE)], () => Deno.readLinkSync(path),
        () => fs.readdirSync(OUTSIDE), () => fs.readdirSync(FOLDER + "/..", { recursive: true }), () => fs.statSync(path), () => fs.accessSync(path), () => fs.realpathSync(path), () => fs.realpathSync.native(path),
        () => fs.opendirSync(OUTSIDE), () => fs.statfsSync(OUTSIDE), () => Deno.watchFs(OUTSIDE), () => fs.globSync("*.txt", { cwd: OUTSIDE }).length || undefined, () => fs.globSync(OUTSIDE + "/*").length || undefined, () => fs.existsSync(path) || undefined];
      for (const way of ways) reached(await attempt(way).then((it) => it !== undefined && !/NotCapable|EACCES|EPERM|denied|ReferenceError/.test(String(it)) && String(way)))`,
  },
  {
    name: "another folder to start from",
    code:
      `for (const go of [() => Deno.chdir(OUTSIDE), () => process.chdir(OUTSIDE), () => Deno.chdir(FOLDER)]) await attempt(go);
      console.log(await attempt(() => Deno.readTextFileSync("secret.txt")), await attempt(() => Deno.readTextFileSync("../out/secret.txt")));
      await attempt(() => Deno.chdir("/"))`,
  },
  {
    name: "errors that show the line of a file",
    code:
      `const text = "throw new Error('x')\\n//# sourceURL=file://" + OUTSIDE + "/secret.txt\\n//# sourceMappingURL=file://" + OUTSIDE + "/secret.json";
      await attempt(() => { try { (0, eval)(text) } catch (error) { console.log(error.stack, Deno.inspect(error)); throw error } });
      await attempt(() => import("data:text/javascript," + encodeURIComponent(text)));
      Promise.reject(await attempt(() => new Function(text)));
      setTimeout(() => (0, eval)(text)); await new Promise((resolve) => setTimeout(resolve, 5))`,
  },
  {
    name: "databases and caches",
    code: `const path = OUTSIDE + "/secret.txt";
      const ways = [() => Deno.openKv(path), () => Deno.openKv(), () => caches.open("a").then((cache) => cache.keys()), () => localStorage.length, () => sessionStorage.length,
        () => import("node:sqlite").then(({ DatabaseSync }) => new DatabaseSync(path)), () => indexedDB];
      for (const way of ways) reached(await attempt(way).then((it) => typeof it === "object" && String(way)))`,
  },
  {
    name: "files that another part of Deno would read",
    code: `const path = OUTSIDE + "/secret.txt", url = "file://" + path;
      const ways = [() => Deno.createHttpClient({ caCerts: [path] }).close(), () => Deno.bundle?.({ entrypoints: [url] }), () => Deno.lint?.runPlugin({ name: "a", rules: {} }, path, ""),
        () => process.loadEnvFile?.(path), () => new EventSource(url), () => new Worker(url), () => importScripts(url), () => Deno.listenTls({ port: 0, certFile: path, keyFile: path }),
        () => Deno.connectTls({ port: 1, caCertFile: path }), () => WebAssembly.compileStreaming(fetch(url)), () => import(url + ".wasm")];
      for (const way of ways) console.log(await attempt(way))`,
  },
];

/** Ways to change what lies outside the folder, or to make a link in it. */
export const WRITING_ATTACKS: readonly Attack[] = [
  {
    name: "writing by every function of Deno",
    code: `const path = OUTSIDE + "/target.txt";
      const ways = [() => Deno.writeTextFileSync(path, "x"), () => Deno.writeFile(path, new Uint8Array(1)), () => Deno.createSync(path), () => Deno.openSync(path, { append: true }),
        () => Deno.truncateSync(path), () => Deno.chmodSync(path, 0o777), () => Deno.chownSync(path, 1, 1), () => Deno.utimeSync(path, 1, 1), () => Deno.removeSync(path), () => Deno.mkdirSync(OUTSIDE + "/a"),
        () => Deno.makeTempFileSync({ dir: OUTSIDE }), () => Deno.makeTempDirSync({ dir: OUTSIDE }), () => Deno.makeTempDirSync({ dir: FOLDER, prefix: "../../out/" }), () => Deno.makeTempFileSync({ dir: FOLDER, suffix: "/../../out/b" }), () => Deno.makeTempFileSync()];
      for (const way of ways) await attempt(way)`,
  },
  {
    name: "writing by every function of Node's",
    code: `const fs = await import("node:fs"), path = OUTSIDE + "/target.txt";
      const ways = [() => fs.writeFileSync(path, "x"), () => fs.appendFileSync(path, "x"), () => fs.openSync(path, "r+"), () => fs.openSync(path, fs.constants.O_CREAT | fs.constants.O_WRONLY), () => fs.truncateSync(path),
        () => fs.chmodSync(path, 0o777), () => fs.lchownSync(path, 1, 1), () => fs.utimesSync(path, 1, 1), () => fs.lutimesSync(path, 1, 1), () => fs.unlinkSync(path), () => fs.rmSync(OUTSIDE, { recursive: true }),
        () => fs.mkdtempSync(OUTSIDE + "/"), () => fs.mkdtempSync(FOLDER + "/../out/"), () => fs.mkdirSync(OUTSIDE + "/a", { recursive: true }), () => fs.rmdirSync(OUTSIDE), () => fs.createWriteStream(path).end("x"), () => fs.promises.writeFile(path, "x")];
      for (const way of ways) await attempt(way);
      await new Promise((resolve) => setTimeout(resolve, 5))`,
  },
  {
    name: "symbolic links",
    code: `const fs = await import("node:fs");
      const ways = [() => Deno.symlinkSync(OUTSIDE, FOLDER + "/l"), () => Deno.symlink("../out", FOLDER + "/l"), () => Deno.symlinkSync("own.txt", FOLDER + "/l"), () => Deno.symlinkSync(OUTSIDE, FOLDER + "/l", { type: "junction" }),
        () => fs.symlinkSync(OUTSIDE, FOLDER + "/l"), () => fs.symlinkSync("../out", FOLDER + "/l", "dir"), () => fs.promises.symlink(OUTSIDE, FOLDER + "/l"), () => new Promise((done) => fs.symlink(OUTSIDE, FOLDER + "/l", done))];
      for (const way of ways) await attempt(way)`,
  },
  {
    name: "hard links",
    code: `const fs = await import("node:fs"), path = OUTSIDE + "/secret.txt";
      const ways = [() => Deno.linkSync(path, FOLDER + "/h"), () => Deno.link(OUTSIDE + "/target.txt", FOLDER + "/h"), () => fs.linkSync(path, FOLDER + "/h"), () => fs.promises.link(path, FOLDER + "/h"), () => Deno.linkSync(FOLDER + "/own.txt", OUTSIDE + "/h")];
      for (const way of ways) await attempt(way);
      console.log(await attempt(() => Deno.readTextFileSync(FOLDER + "/h")))`,
  },
  {
    name: "moving and copying over the border",
    code:
      `const fs = await import("node:fs"), secret = OUTSIDE + "/secret.txt", own = FOLDER + "/own.txt";
      const ways = [() => Deno.renameSync(secret, FOLDER + "/m"), () => Deno.renameSync(own, OUTSIDE + "/target.txt"), () => Deno.renameSync(OUTSIDE, FOLDER + "/n"), () => Deno.renameSync(FOLDER, OUTSIDE + "/n"), () => Deno.copyFileSync(secret, FOLDER + "/m"), () => Deno.copyFileSync(own, OUTSIDE + "/target.txt"),
        () => fs.renameSync(secret, FOLDER + "/m"), () => fs.copyFileSync(secret, FOLDER + "/m"), () => fs.cpSync(OUTSIDE, FOLDER + "/m", { recursive: true }), () => fs.cpSync(FOLDER, OUTSIDE + "/m", { recursive: true }), () => fs.promises.cp(OUTSIDE, FOLDER + "/o", { recursive: true, verbatimSymlinks: true }), () => fs.promises.rename(own, OUTSIDE + "/x")];
      for (const way of ways) await attempt(way);
      for (const name of ["m", "m/secret.txt", "o/secret.txt", "n/secret.txt"]) console.log(await attempt(() => Deno.readTextFileSync(FOLDER + "/" + name)))`,
  },
  {
    name: "sockets in the file system",
    code: `const net = await import("node:net"), path = OUTSIDE + "/s";
      const ways = [() => Deno.listen({ transport: "unix", path }), () => Deno.connect({ transport: "unix", path }), () => Deno.listenDatagram?.({ transport: "unixpacket", path }), () => new Promise((done) => net.createServer().on("error", done).listen(path, () => done(reached("server")))),
        () => Deno.createHttpClient({ proxy: { transport: "unix", path: OUTSIDE + "/secret.txt" } }).close(), () => Deno.serve({ path, onListen() {} }, () => new Response()).shutdown()];
      for (const way of ways) console.log(await attempt(way))`,
  },
];
