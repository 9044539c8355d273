import { type ResourceName, resourceNames } from '../../model/resource-names.ts'

/** @throws TypeError when this version does not know the resource. */
export function resourceOf(text: string): ResourceName {
  const found = resourceNames.find((name) => name === text)
  if (found === undefined) throw new TypeError(`The mirror names a resource "${text}" that this version does not know`)
  return found
}
