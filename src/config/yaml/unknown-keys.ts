import { z } from 'zod'
import type { KeyPath } from './key-path.ts'
import { isMap } from './section.ts'

export interface UnknownKey {
  readonly path: KeyPath
  readonly validKeys: readonly string[]
}

/**
 * Finds keys that are not in the schema, at any depth and also in objects that are not strict, so that no misspelt key is
 * ignored. Objects with a catch-all accept any key.
 */
export function unknownKeys(schema: unknown, value: unknown, path: KeyPath = []): UnknownKey[] {
  if (schema instanceof z.ZodObject && isMap(value)) return ofObject(schema, value, path)
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.flatMap((item, index) => unknownKeys(schema.element, item, [...path, index]))
  }
  if (schema instanceof z.ZodRecord && isMap(value)) {
    return Object.entries(value).flatMap(([key, item]) => unknownKeys(schema.valueType, item, [...path, key]))
  }
  if (schema instanceof z.ZodUnion) return ofUnion(schema.options, value, path)
  const inner = innerOf(schema)
  return inner === undefined ? [] : unknownKeys(inner, value, path)
}

function ofObject(schema: z.ZodObject, value: Readonly<Record<string, unknown>>, path: KeyPath): UnknownKey[] {
  const validKeys = Object.keys(schema.shape)
  const { catchall } = schema.def
  const open = catchall !== undefined && !(catchall instanceof z.ZodNever)
  return Object.entries(value).flatMap(([key, item]) => {
    if (Object.hasOwn(schema.shape, key)) return unknownKeys(schema.shape[key], item, [...path, key])
    return open ? [] : [{ path: [...path, key], validKeys }]
  })
}

function ofUnion(options: readonly unknown[], value: unknown, path: KeyPath): UnknownKey[] {
  const found = options
    .filter((option) => !isMap(value) || reachesObject(option))
    .map((option) => unknownKeys(option, value, path))
  return found.sort((a, b) => a.length - b.length)[0] ?? []
}

function reachesObject(schema: unknown): boolean {
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord || schema instanceof z.ZodUnion) return true
  const inner = innerOf(schema)
  return inner !== undefined && reachesObject(inner)
}

function innerOf(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return schema.unwrap()
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return schema.unwrap()
  if (schema instanceof z.ZodReadonly) return schema.unwrap()
  return schema instanceof z.ZodPipe ? schema.in : undefined
}
