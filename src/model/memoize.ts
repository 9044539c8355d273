interface Made<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

export function memoize<Key, Value>(
  make: (key: Key) => Value,
  made: Made<Key, Value> = new Map<Key, Value>(),
): (key: Key) => Value {
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

/** A cached value is freed with its key. */
export function memoizeWeakly<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  return memoize(make, new WeakMap<Key, Value>())
}
