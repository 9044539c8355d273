import * as z from 'zod'
import { UsageError } from '../../model/errors.ts'
import { canCarryToken } from '../../model/token-header.ts'
import { type ReadingsInput, readingsSchema } from '../../simulator/readings.ts'
import { oneOf } from './options.ts'

/** `cursorKind={"users":"offset"}`: a value is JSON, or text where that fits. @throws UsageError */
export function readReadings(pairs: readonly string[]): ReadingsInput {
  return Object.assign({}, ...pairs.map(readReading))
}

function readReading(pair: string): ReadingsInput {
  const [name = '', ...rest] = pair.split('=')
  oneOf('reading', Object.keys(readingsSchema.shape), name)
  const text = rest.length === 0 ? 'true' : rest.join('=')
  const values = rest.length === 0 ? [true] : [parseJson(text), text]
  const fitting = values.find((value) => readingsSchema.safeParse({ [name]: value }).success)
  if (fitting === undefined) {
    const { error } = readingsSchema.safeParse({ [name]: values.find((value) => value !== undefined) })
    throw new UsageError(
      `Reading ${error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')}`,
    )
  }
  if (name === 'tokenHeader' && !canCarryToken(text))
    throw new UsageError(
      'Reading tokenHeader: expected the name of a header that can carry the token, such as X-Api-Key',
    )
  return { [name]: fitting }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** One line for each reading: name, values, default. */
export function describeReadings(): string {
  const { properties = {} } = z.toJSONSchema(readingsSchema, { io: 'input' })
  return Object.entries(properties)
    .map(([name, schema]) => `  ${name}=${valuesOf(schema)} (${defaultOf(schema)})`)
    .join('\n')
}

type Schema = z.core.JSONSchema._JSONSchema

function valuesOf(schema: Schema): string {
  if (typeof schema === 'boolean') return ''
  const [feed] = Object.values(schema.properties ?? {})
  if (feed !== undefined) {
    const isQuoted = typeof feed === 'object' && feed.enum !== undefined
    return `{"FEED":${isQuoted ? valuesOf(feed).replace(/[^|]+/g, '"$&"') : valuesOf(feed)}}`
  }
  if (schema.enum !== undefined) return schema.enum.join('|')
  if (schema.anyOf !== undefined) return schema.anyOf.map(valuesOf).join('|')
  return { boolean: 'true|false', integer: 'NUMBER', null: 'null' }[String(schema.type)] ?? 'TEXT'
}

function defaultOf(schema: Schema): string {
  if (typeof schema === 'boolean') return ''
  const feeds = Object.entries(schema.properties ?? {})
  if (feeds.length > 0) return feeds.map(([name, feed]) => `${name} ${defaultOf(feed)}`).join(', ')
  return schema.default === '' ? 'nothing' : `${schema.default}`
}
