/** The revisions that open with a handshake, newest first. */
export const LEGACY_REVISIONS: readonly string[] = [
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
];

/** The revisions of which each request says everything itself, newest first. */
export const MODERN_REVISIONS: readonly string[] = ["2026-07-28"];

/** Every revision that can be spoken, newest first. */
export const REVISIONS: readonly string[] = [...MODERN_REVISIONS, ...LEGACY_REVISIONS];
