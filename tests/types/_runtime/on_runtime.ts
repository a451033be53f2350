/** Runs a body while the runtime gives itself another name. */
export async function onRuntime(name: string, body: () => unknown): Promise<void> {
  Object.defineProperty(navigator, "userAgent", { value: name, configurable: true });
  try {
    await body();
  } finally {
    Reflect.deleteProperty(navigator, "userAgent");
  }
}
