/**
 * Whether an action or a model call whose outcome is unknown may be done again after a crash.
 *
 * - `never`: it is not; its outcome is settled by the caller's callback, or recorded as unknown.
 * - `replayable`: it is done again, under the same id.
 */
export type ReplayPolicy = (typeof REPLAY_POLICIES)[number];

/** Every {@link ReplayPolicy}. */
export const REPLAY_POLICIES = ["never", "replayable"] as const;
