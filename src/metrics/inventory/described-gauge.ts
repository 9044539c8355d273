import { knownValues } from '../../config/settings.ts'
import type { RecordReader, Scalar } from '../../mirror/records/query.ts'
import type { Gauge, ResourceDefinition } from '../../model/resource.ts'
import type { Sample } from '../family.ts'
import { labelText } from '../label-text.ts'
import { fromMirror } from '../posture-gauge.ts'
import type { InventoryContext, InventoryGauge } from '../series-config.ts'

type CountGauge = Extract<Gauge, { readonly kind: 'count' }>
type FlagGauge = Extract<Gauge, { readonly kind: 'flag' }>

interface Label {
  readonly name: string
  readonly values: readonly string[]
  readonly labelOfValue: (value: Scalar) => string
}

export function describedGauge(resource: ResourceDefinition, gauge: Gauge): InventoryGauge {
  const help = `${gauge.help} ${fromMirror}`
  const { name } = gauge
  if (gauge.kind === 'flag') return { name, help, labelNames: [], read: (reader) => readFlag(reader, resource, gauge) }
  const labelNames = Object.keys(gauge.by).map(labelName)
  return { name, help, labelNames, read: (reader, context) => readCounts(reader, resource, gauge, context) }
}

async function readFlag(reader: RecordReader, { name }: ResourceDefinition, { field }: FlagGauge) {
  for await (const [record] of reader.select(name)) {
    if (record !== undefined) return [{ labels: {}, value: Number(record.fields[field]) }]
  }
  return []
}

async function readCounts(
  reader: RecordReader,
  resource: ResourceDefinition,
  { by }: CountGauge,
  { complete, settings }: InventoryContext,
): Promise<readonly Sample[]> {
  if (!complete) return []
  const labels = Object.entries(by).map(([field, values = true]) => labelOf(resource, field, values, settings))
  const combinations = labels.reduce<readonly (readonly string[])[]>(
    (rows, { values }) => rows.flatMap((row) => values.map((value) => [...row, value])),
    [[]],
  )
  const counts = new Map(combinations.map((row) => [JSON.stringify(row), 0]))
  for (const { values, count } of await reader.countBy(resource.name, Object.keys(by))) {
    const key = JSON.stringify(labels.map(({ labelOfValue }, at) => labelOfValue(values[at] ?? null)))
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  return [...counts].map(([key, value]) => {
    const row: readonly string[] = JSON.parse(key)
    return { labels: Object.fromEntries(labels.map(({ name }, at) => [name, row[at] ?? ''])), value }
  })
}

function labelOf(
  { fields }: ResourceDefinition,
  field: string,
  shown: NonNullable<CountGauge['by'][string]>,
  settings: InventoryContext['settings'],
): Label {
  const name = labelName(field)
  // A database may return a boolean as 0 or 1.
  if (shown === true)
    return { name, values: ['true', 'false'], labelOfValue: (value) => String(value === true || value === 1) }
  const known = ('setting' in shown ? knownValues(settings, shown) : shown).filter(isText)
  const none = fields[field]?.nullable === undefined ? [] : ['none']
  return {
    name,
    values: [...known.map(labelText), ...none, 'other'],
    labelOfValue: (value) =>
      value === null && none.length > 0 ? 'none' : labelText(known.find((text) => text === value) ?? 'other'),
  }
}

function isText(value: string | null): value is string {
  return value !== null
}

function labelName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
