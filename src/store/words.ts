/** @throws TypeError when `text` is not a word that this version knows. */
export function oneOf<const T extends string>(list: readonly T[], text: string): T {
  const found = list.find((item) => item === text)
  if (found === undefined) throw new TypeError(`The mirror contains "${text}", which this version does not know`)
  return found
}
