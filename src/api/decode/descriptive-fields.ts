import { odd, type ParseContext } from './parse-context.ts'

const maxLength = 1024

/** A text of at most 1024 characters, longer ones cut with an ellipsis; another value is counted and becomes null. */
export function describedText(context: ParseContext, field: string, value: unknown): string | null {
  if (typeof value === 'string') {
    if (value.length <= maxLength) return value.toWellFormed()
    odd(context, 'unknown_value', field)
    return cut(value)
  }
  odd(context, 'unknown_value', field)
  return null
}

export function describedBoolean(context: ParseContext, field: string, value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  odd(context, 'unknown_value', field)
  return null
}

function cut(text: string): string {
  const kept = text.slice(0, maxLength - 1)
  const last = kept.charCodeAt(kept.length - 1)
  const whole = last >= 0xd800 && last <= 0xdbff ? kept.slice(0, -1) : kept
  return `${whole.toWellFormed()}…`
}
