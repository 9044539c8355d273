type Schema = Readonly<Record<string, unknown>>

/** Keywords that `problems` knows; any other in a schema would go unevaluated and is a problem itself. */
const known = new Set([
  '$ref',
  'additionalProperties',
  'anyOf',
  'description',
  'enum',
  'format',
  'items',
  'minimum',
  'pattern',
  'properties',
  'propertyNames',
  'required',
  'type',
])

/**
 * Evaluates a value by a schema of an OpenAPI document, in the few words of JSON Schema that it uses. Stricter than the
 * schema in one thing: a field that no schema names is a problem.
 */
export function problems(value: unknown, schema: Schema, document: Schema, path = '$'): readonly string[] {
  const strange = Object.keys(schema).filter((key) => !known.has(key))
  if (strange.length > 0) return [`${path}: the schema contains ${strange.join(', ')}, which is not evaluated here`]
  const { $ref, anyOf, type, enum: allowed } = schema
  if (typeof $ref === 'string') return problems(value, resolved($ref, document), document, path)
  if (Array.isArray(anyOf)) {
    const tries = anyOf.map((one: Schema) => problems(value, one, document, path))
    return tries.some(({ length }) => length === 0) ? [] : (tries[0] ?? [])
  }
  const found: string[] = []
  const types = type === undefined ? [] : [type].flat()
  if (types.length > 0 && !types.some((one) => isOfType(value, one))) found.push(`${path} is no ${types.join(' or ')}`)
  if (Array.isArray(allowed) && !allowed.includes(value)) found.push(`${path} is none of ${allowed.join(', ')}`)
  if (typeof value === 'string') found.push(...ofText(value, schema, path))
  if (typeof value === 'number' && value < Number(schema['minimum'] ?? value)) found.push(`${path} is too small`)
  if (Array.isArray(value)) {
    const items = (schema['items'] ?? {}) as Schema
    found.push(...value.flatMap((one: unknown, i) => problems(one, items, document, `${path}[${i}]`)))
  } else if (typeof value === 'object' && value !== null) found.push(...ofObject(value, schema, document, path))
  return found
}

export function resolved(ref: string, document: Schema): Schema {
  const found = ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((at, key) => (at as Schema | undefined)?.[key], document)
  if (typeof found !== 'object' || found === null) throw new Error(`${ref} leads nowhere`)
  return found as Schema
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isSafeInteger(value)
    default:
      return typeof value === type
  }
}

function ofText(value: string, { format, pattern }: Schema, path: string): string[] {
  const found: string[] = []
  if (format === 'date-time' && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value))
    found.push(`${path} is no time`)
  if (typeof pattern === 'string' && !new RegExp(pattern).test(value)) found.push(`${path} does not match ${pattern}`)
  return found
}

function ofObject(value: object, schema: Schema, document: Schema, path: string): string[] {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  const required = (schema['required'] ?? []) as readonly string[]
  const missing = required.filter((key) => !(key in value)).map((key) => `${path}.${key} is missing`)
  const others = schema['additionalProperties'] as Schema | undefined
  const names = schema['propertyNames'] as Schema | undefined
  const inside = Object.entries(value).flatMap(([key, one]: [string, unknown]) => {
    const own = properties[key] ?? others
    if (own === undefined) return schema['type'] === undefined ? [] : [`${path}.${key} is not described`]
    const named = names === undefined ? [] : problems(key, names, document, `${path} key ${key}`)
    return [...named, ...problems(one, own, document, `${path}.${key}`)]
  })
  return [...missing, ...inside]
}
