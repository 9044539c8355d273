/** An invalid control request; the message names the valid values. */
export class ControlError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Members = Readonly<Record<string, unknown>>

export function asMembers(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ControlError(400, `${name} must be an object`)
  }
  return { ...value }
}

/** Throws a ControlError for unknown members, which would otherwise be ignored. */
export function onlyMembers(given: Members, names: readonly string[], what: string): void {
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw new ControlError(400, `${what} has no member ${unknown.join(', ')}; it may have ${names.join(', ')}`)
}

export function asOneOf<T extends string>(value: unknown, words: readonly T[], name: string): T {
  const found = words.find((word) => word === value)
  if (found === undefined) throw new ControlError(400, `${name} must be one of ${words.join(', ')}, not ${value}`)
  return found
}

export function asText(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw new ControlError(400, `${name} must be a text`)
  return value
}

export function asCount(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new ControlError(400, `${name} must be a whole number`)
  }
  return value
}
