/** A panel, independent of Grafana's JSON format. */
export interface PanelSpec {
  readonly title: string
  readonly description: string
  readonly kind: 'stat' | 'table' | 'time' | 'states' | 'bars'
  readonly queries: readonly QuerySpec[]
  /** A unit id of Grafana. */
  readonly unit: string
  /** Width in columns of the grid, which has 24. */
  readonly span: number
  /** Height in rows of the grid; absent = the usual height of the kind. */
  readonly height?: number
  readonly decimals?: number
  readonly max?: number
  /** Colors by threshold; the first is the base. Absent = one color per series. */
  readonly steps?: readonly Step[]
  readonly words?: Readonly<Record<string, { readonly text: string; readonly color: string }>>
  /** Replaces "No data" where an empty result is the good case. */
  readonly noValue?: string
  /** Columns of a table: labels in order, with their headings; `Value` is the value. SQL queries name their columns. */
  readonly columns?: Readonly<Record<string, string>>
  /** Heading of the column with the colors and words; absent = that of `Value`. */
  readonly colored?: string
  readonly sort?: { readonly by: string; readonly descending: boolean }
  readonly stacked?: boolean
  /** Target of a click on a value. */
  readonly link?: { readonly title: string; readonly url: string }
}

export interface QuerySpec {
  /** PromQL, or SQL if the dashboard reads a database. */
  readonly expr: string
  readonly legend?: string
}

export interface Step {
  /** Null is the base. */
  readonly from: number | null
  readonly color: string
}

export interface RowSpec {
  readonly title: string
  readonly panels: readonly PanelSpec[]
}

/** An event, drawn as a line through every panel. */
export interface AnnotationSpec {
  readonly name: string
  readonly expr: string
  readonly title: string
  readonly color: string
}

export type Source = 'postgres' | 'prometheus'

export interface DashboardSpec {
  /** Absent = prometheus. */
  readonly source?: Source
  readonly title: string
  readonly description: string
  readonly annotations: readonly AnnotationSpec[]
  readonly rows: readonly RowSpec[]
  readonly from: string
}

/** Colors from a threshold on; `base` applies below the first one. */
export function colors(base: string, ...above: readonly (readonly [from: number, color: string])[]): readonly Step[] {
  return [{ from: null, color: base }, ...above.map(([from, color]) => ({ from, color }))]
}

/** 0 is good, any other value is bad. */
export const noneIsGood = colors('green', [1, 'red'])

/** 0 is good, any other value needs attention. */
export const noneIsBetter = colors('green', [1, 'orange'])

export const neutral = colors('text')

/** Colors by value; the text is the value unless another one is given. */
export function words(byValue: Readonly<Record<string, string | readonly [text: string, color: string]>>) {
  const entries = Object.entries(byValue).map(([value, shown]) => {
    const [text, color] = typeof shown === 'string' ? [value.replaceAll('_', ' '), shown] : shown
    return [value, { text, color }] as const
  })
  return Object.fromEntries(entries)
}

/** One large number. */
export function number(title: string, description: string, expr: string, steps: readonly Step[]): PanelSpec {
  return { title, description, kind: 'stat', queries: [{ expr }], unit: 'none', span: 4, steps }
}

/** A value over time. */
export function curve(
  title: string,
  description: string,
  unit: string,
  expr: string,
  legend: string,
  more: Pick<PanelSpec, 'max' | 'noValue'> = {},
): PanelSpec {
  return { title, description, kind: 'time', queries: [{ expr, legend }], unit, span: 12, ...more }
}

/** Link to the status page, filtered by tenant and check; both are Grafana templates. */
export function pageOf(tenant: string, check: string) {
  return { title: 'Findings on the status page', url: `\${page}/?tenant=${tenant}&check=${check}` }
}

/** Restricts a metric to the tenants selected at the top of the dashboard. */
export function ofTenants(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${['tenant=~"$tenant"', ...matchers].join(',')}}`
}
