import * as z from 'zod'
import type { Catalogue } from './catalogue.ts'
import { configurationSchema } from './schema.ts'

/** The part of JSON Schema that describes the configuration. */
export interface JsonSchema {
  readonly description?: string
  readonly default?: unknown
  /** What the example file shows: where there is no default the first one, and the others as comments. */
  readonly 'x-examples'?: readonly unknown[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
}

/** The JSON Schema of the configuration. Own checks, which it does not know, may be configured too. */
export function jsonSchema(catalogue: Catalogue): JsonSchema {
  const schema = configurationSchema({ ...catalogue, incomplete: true })
  const described = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return { ...described, patternProperties: { '^x-': {} } } as JsonSchema
}

/** First line of a configuration, by which editors find the JSON Schema beside it. */
export const schemaLine = '# yaml-language-server: $schema=tenantwatch.schema.json'
