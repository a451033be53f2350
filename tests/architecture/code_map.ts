import { FOLDERS } from "./layers.ts";

/**
 * What is wrong with the code map of a guide: the rows of the table under the heading `Code map`, each with a path in
 * backticks first. Each folder of the layers is named in it; each row is for something that is there.
 */
export function codeMapFaults(guide: string, paths: readonly string[]): readonly string[] {
  const section = /^#+ Code map$([^]*?)(?=^#|$(?![^]))/m.exec(guide)?.[1] ?? "";
  const rows = [...section.matchAll(/^\| *`([^`]+)`/gm)].map((match) => match[1]!);
  const expected = Object.keys(FOLDERS).filter((name) => name !== ".").map((name) => `${name}/`);
  return [
    ...expected.filter((name) => !section.includes(`\`${name}\``)).map((name) => `no ${name}`),
    ...rows.filter((row) => !paths.some((path) => path === row || path.startsWith(row)))
      .map((row) => `a row for ${row}, which is not there`),
    ...rows.filter((row, index) => rows.indexOf(row) !== index).map((row) => `two rows for ${row}`),
  ];
}
