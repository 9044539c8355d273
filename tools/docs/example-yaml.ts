import { Document, visit } from 'yaml'
import type { Catalogue } from '../../src/config/catalogue.ts'
import { jsonSchema, type JsonSchema as Node, schemaLine } from '../../src/config/json-schema.ts'

const head = `${schemaLine}
# Configuration of tenantwatch: every key with its default; only \`tenants\` has none.
#
# Copy to config/tenantwatch.yaml, or name another file with --config or TENANTWATCH_CONFIG. \`tenantwatch config check\`
# lists all mistakes, \`tenantwatch config print\` shows the effective configuration. Unknown keys are errors.
#
# Without a file, TENANTWATCH_BASE_URL and TENANTWATCH_TOKEN (or TENANTWATCH_TOKEN_FILE) make one tenant named \`default\`;
# with a file they are ignored. TENANTWATCH_STORE_PATH, TENANTWATCH_STORE_URL and TENANTWATCH_LISTEN override store.path,
# store.url and server.listen in both cases. Relative paths start from the working directory.
#
# Durations are written 90s, 15m, 1h30m or 30d. Cron expressions need quotes.
`

/** The example file: every key with its default and description. */
export function exampleYaml(catalogue: Catalogue): string {
  const sections = Object.entries(jsonSchema(catalogue).properties ?? {})
  return `${head}\n${sections.map(([key, node]) => `${linesOf(key, node, '').join('\n')}\n`).join('\n')}`
}

const width = 120

function linesOf(key: string, node: Node, indent: string): string[] {
  const { items, description = '', 'x-examples': examples = [] } = node
  const above = wrapped(description, indent)
  if (items?.properties !== undefined && node.default === undefined) {
    const [first = '', ...rest] = shown(items).flatMap(([name, child]) => linesOf(name, child, `${indent}    `))
    return [...above, `${indent}${key}:`, `${indent}  - ${first.trimStart()}`, ...rest]
  }
  const children = shown(node)
  if (examples.length === 0 && children.some(([, child]) => (child.description ?? child.properties) !== undefined))
    return [...above, `${indent}${key}:`, ...children.flatMap(([name, child]) => linesOf(name, child, `${indent}  `))]
  const [value, ...others] = node.default === undefined ? examples : [defaultOf(node), ...examples]
  const line = `${indent}${key}: ${flow(value)}`
  const alternatives = others.map((other) => `${indent}# ${key}: ${flow(other)}`)
  const whole = description === '' ? line : `${line}  # ${description}`
  return whole.length <= width ? [whole, ...alternatives] : [...above, line, ...alternatives]
}

/** Keys without a default are optional and not shown, such as the sections of a tenant. */
function shown({ properties = {} }: Node): readonly (readonly [string, Node])[] {
  return Object.entries(properties).filter(
    ([, node]) => (node.default ?? node['x-examples']) !== undefined || node.default === null,
  )
}

function defaultOf(node: Node): unknown {
  const children = node['x-examples'] === undefined ? shown(node) : []
  return children.length === 0
    ? node.default
    : Object.fromEntries(children.map(([key, child]) => [key, defaultOf(child)]))
}

function flow(value: unknown): string {
  const document = new Document(value)
  visit(document, {
    Scalar(_key, scalar) {
      // Inside of brackets YAML demands no quotes for cron expressions, unlike in a line of their own.
      if (typeof scalar.value === 'string' && scalar.value.includes('*')) scalar.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ collectionStyle: 'flow', lineWidth: 0 }).trimEnd()
}

function wrapped(text: string, indent: string): string[] {
  if (text === '') return []
  const lines = [`${indent}#`]
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`${indent}# ${word}`)
  }
  return lines
}

/** Every key with default and meaning, for the table in docs/configuration.md. */
export function keyRows(catalogue: Catalogue): readonly (readonly [key: string, byDefault: string, meaning: string])[] {
  return rowsOf(jsonSchema(catalogue), '')
}

function rowsOf({ properties = {} }: Node, path: string): (readonly [string, string, string])[] {
  return Object.entries(properties).flatMap(([name, node]): (readonly [string, string, string])[] => {
    const key = path === '' ? name : `${path}.${name}`
    const { items, description = '', default: byDefault } = node
    if (items?.properties !== undefined) return [[`${key}[]`, '', description], ...rowsOf(items, `${key}[]`)]
    // A section of a tenant has the keys of the general one; the options of checks have a page of their own.
    const isInherited = path === 'tenants[]' && byDefault === undefined && node.properties !== undefined
    if (isInherited) return []
    if (node.properties === undefined || key === 'checks')
      return byDefault === undefined && description === ''
        ? []
        : [[key, byDefault === undefined ? '' : flow(byDefault), description]]
    const own = description === '' ? [] : [[key, '', description] as const]
    return [...own, ...rowsOf(node, key)]
  })
}
