/** Commands that try to go on after their driver; each process writes its id, as the name of a file, to the folder. */
export function livelyCommands(folder: string): readonly string[] {
  const loop = `echo > ${folder}/$$; while :; do echo >> ${folder}/beat; sleep 0.02; done`;
  const odd = `${folder}/*) S 1 1 (`;
  return [
    loop,
    `trap "" TERM INT HUP; ${loop}`,
    `sh -c '${loop}' & sh -c '${loop}' & wait`,
    `setsid sh -c '${loop}' & wait`,
    `setsid sh -c 'setsid sh -c "echo > ${folder}/\\$\\$; exec sleep 1000" & wait' & sleep 1000`,
    `echo > ${folder}/$$; exec yes`,
    // a name by which its line in /proc can be misread
    `cp "$(command -v sleep)" "${odd}"; setsid sh -c 'echo > ${folder}/$$; exec "${odd}" 1000' & wait`,
  ];
}
