import type { z } from 'zod'

/** Message for an issue of zod in the style of the other messages; undefined = the message of zod. */
export function wantedOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `want ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `want ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return `want ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit(issue.origin)}`
    case 'too_big':
      return `want ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unit(issue.origin)}`
    default:
      return undefined
  }
}

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a map of keys',
  record: 'a map of keys',
  string: 'a text',
}

function unit(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' || origin === 'set' ? ' items' : ''
}
