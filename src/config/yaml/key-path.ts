/** The way from the top of the configuration to one value: keys of maps, positions in lists. */
export type KeyPath = readonly (string | number)[]

/** A path as people write it: `tenants[0].api.pageSize`; odd keys are quoted and cut, so that it stays one line. */
export function formatPath(path: KeyPath): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else if (!/^[\w-]{1,64}$/.test(part)) text += `[${JSON.stringify(part.slice(0, 64))}]`
    else text += text === '' ? part : `.${part}`
  }
  return text
}
