const maxDepth = 64
const maxMembers = 100_000

/**
 * The value itself, or a short note in its place when it is nested more than 64 levels deep or holds more than 100,000
 * members: parsing such a value works, while serialising it overflows the stack or the memory.
 */
export function boundDepth(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  let level: object[] = [value]
  let members = 0
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) return `[nested more than ${maxDepth} levels deep]`
    const next: object[] = []
    for (const parent of level) {
      const children: readonly unknown[] = Object.values(parent)
      members += children.length
      if (members > maxMembers) return `[more than ${maxMembers} members]`
      for (const child of children) if (typeof child === 'object' && child !== null) next.push(child)
    }
    level = next
  }
  return value
}
