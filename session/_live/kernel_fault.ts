/** A mistake of the kernel's own: what drives a run used it in an order that there is not. Nobody is meant to catch it. */
export class KernelFaultError extends Error {
  /** The error's name. */
  override readonly name = "KernelFaultError";
}

/** Throws a {@link KernelFaultError} unless a condition holds. */
export function assertKernel(condition: boolean, text: string): asserts condition {
  if (!condition) throw new KernelFaultError(text);
}
