type Members = Record<string, unknown>

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A JSON merge patch (RFC 7396) laid over a value: members of the patch replace, null removes. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMembers(patch)) return patch
  const result: Members = isMembers(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else result[name] = mergePatch(result[name], value)
  }
  return result
}

/** A copy with the member at a dotted path set, null included; members on the way are made. */
export function setMember(target: unknown, path: string, value: unknown): unknown {
  const [name = '', ...rest] = path.split('.')
  const copy: Members = isMembers(target) ? { ...target } : {}
  copy[name] = rest.length === 0 ? value : setMember(copy[name], rest.join('.'), value)
  return copy
}
