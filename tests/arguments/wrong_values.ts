/** Values that hardly any place takes: of every type, of every odd object, and of the ways to be almost right. */

/** Each wrong value by its name, made anew for each use since some can be used up. */
export const WRONG_VALUES: Readonly<Record<string, () => unknown>> = {
  "undefined": () => undefined,
  "null": () => null,
  "true": () => true,
  "false": () => false,
  "0": () => 0,
  "-0": () => -0,
  "-1": () => -1,
  "1.5": () => 1.5,
  "NaN": () => NaN,
  "Infinity": () => Infinity,
  "2 ** 53": () => 2 ** 53,
  "1n": () => 1n,
  "an empty string": () => "",
  "a word": () => "x",
  "a word that objects have": () => "__proto__",
  "a lone surrogate": () => "\ud800",
  "a symbol": () => Symbol("s"),
  "a function": () => () => {},
  "a generator": () => function* () {},
  "an empty array": () => [],
  "an array of nothing": () => [undefined],
  "an array of null": () => [null],
  "an array of arrays": () => [[]],
  "an array of strings": () => ["x"],
  "an array with holes": () => new Array(3),
  "an empty object": () => ({}),
  "an object with a field": () => ({ field: 1 }),
  "an object that looks like an array": () => ({ length: 1, 0: "x" }),
  "an object without a prototype": () => Object.create(null),
  "an object without a text": () => ({ toString: null }),
  "an object that holds itself": () => {
    const own: Record<string, unknown> = {};
    own.own = own;
    return own;
  },
  "an array that holds itself": () => {
    const own: unknown[] = [];
    own.push(own);
    return own;
  },
  "a wrapped number": () => Object(1),
  "an invalid date": () => new Date(NaN),
  "a map": () => new Map([[1, 2]]),
  "a set": () => new Set([1]),
  "an expression": () => /x/,
  "an error": () => new Error("x"),
  "a promise": () => Promise.resolve(1),
  "almost a promise": () => ({ then: 5 }),
  "bytes": () => new Uint8Array(2),
  "a URL": () => new URL("https://example.com"),
  "an aborted signal": () => AbortSignal.abort(),
  "a proxy": () => new Proxy({}, {}),
};
