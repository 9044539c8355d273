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

export function isMap(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}

export function valueAt(raw: unknown, path: KeyPath): unknown {
  let value = raw
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)]
    else value = isMap(value) && Object.hasOwn(value, part) ? value[part] : undefined
  }
  return value
}
