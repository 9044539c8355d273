import { knownValues } from '../../config/settings.ts'
import type { Gauge, ResourceDefinition } from '../../model/resource.ts'
import type { Scalar } from '../../store/records/query.ts'
import type { AddSeries } from '../family.ts'
import { labelText } from '../label-text.ts'
import { fromMirror } from '../posture-gauge.ts'
import type { InventoryContext, InventoryGauge } from '../series-config.ts'

type CountGauge = Extract<Gauge, { readonly kind: 'count' }>
type FlagGauge = Extract<Gauge, { readonly kind: 'flag' }>

interface Label {
  /** All results of `labelOfValue`, without duplicates. */
  readonly values: readonly string[]
  readonly labelOfValue: (value: Scalar) => string
}

export function describedGauge(resource: ResourceDefinition, gauge: Gauge): InventoryGauge {
  const help = `${gauge.help} ${fromMirror}`
  const { name } = gauge
  if (gauge.kind === 'flag')
    return { name, help, labelNames: [], read: (context, add) => readFlag(resource, gauge, context, add) }
  const labelNames = Object.keys(gauge.by).map(labelName)
  return { name, help, labelNames, read: async (context, add) => readCounts(resource, gauge, context, add) }
}

async function readFlag(
  { name }: ResourceDefinition,
  { field }: FlagGauge,
  { only }: InventoryContext,
  add: AddSeries,
): Promise<void> {
  const record = await only(name)
  if (record !== undefined) add(Number(record.fields[field]))
}

function readCounts(
  resource: ResourceDefinition,
  { by }: CountGauge,
  { complete, counts, settings }: InventoryContext,
  add: AddSeries,
): void {
  const counted = counts.get(resource.name)
  if (!complete || counted === undefined) return
  const labels = Object.entries(by).map(([field, values = true]) => {
    return { ...labelOf(resource, field, values, settings), at: counted.fields.indexOf(field) }
  })
  const rows = labels.reduce<readonly (readonly string[])[]>(
    (before, { values }) => before.flatMap((row) => values.map((value) => [...row, value])),
    [[]],
  )
  const sums = new Map(rows.map((row) => [row.join('\n'), 0]))
  for (const { values, count } of counted.groups) {
    const row = labels.map(({ labelOfValue, at }) => labelOfValue(values[at] ?? null)).join('\n')
    sums.set(row, (sums.get(row) ?? 0) + count)
  }
  for (const row of rows) add(sums.get(row.join('\n')) ?? 0, ...row)
}

function labelOf(
  { fields }: ResourceDefinition,
  field: string,
  shown: NonNullable<CountGauge['by'][string]>,
  settings: InventoryContext['settings'],
): Label {
  if (shown === true) return { values: ['true', 'false'], labelOfValue: (value) => String(value === true) }
  const known = ('setting' in shown ? knownValues(settings, shown) : shown).filter(isText)
  const none = fields[field]?.nullable === undefined ? [] : ['none']
  return {
    values: [...new Set([...known.map(labelText), ...none, 'other'])],
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
