/** Path to a value of the configuration: keys of maps, indexes of lists. */
export type KeyPath = readonly (string | number)[]

/** `tenants[0].api.pageSize`; unusual keys are quoted and cut. */
export function formatPath(path: KeyPath): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else if (!/^[\w-]{1,64}$/.test(part)) text += `[${JSON.stringify(part.slice(0, 64))}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}
