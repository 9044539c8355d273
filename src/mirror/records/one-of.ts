/**
 * A stored word as one of those that this version knows.
 *
 * @throws TypeError when it is none of them.
 */
export function oneOf<const T extends string>(list: readonly T[], text: string): T {
  const found = list.find((item) => item === text)
  if (found === undefined) throw new TypeError(`The mirror holds "${text}", which this version does not know`)
  return found
}
