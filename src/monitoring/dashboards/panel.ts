/** What a panel shows, apart from how Grafana writes it. */
export interface PanelSpec {
  readonly title: string
  readonly description: string
  readonly kind: 'stat' | 'table' | 'time' | 'states' | 'bars'
  readonly queries: readonly QuerySpec[]
  /** A unit id of Grafana. */
  readonly unit: string
  /** Of the 24 columns of the grid. */
  readonly span: number
  /** Rows of the grid; a kind has its usual height. */
  readonly height?: number
  readonly decimals?: number
  readonly max?: number
  /** Colors from a value on; the first is the base. Absent: a color a series. */
  readonly steps?: readonly Step[]
  readonly words?: Readonly<Record<string, { readonly text: string; readonly color: string }>>
  /** Instead of "No data" where nothing to show is the good case. */
  readonly noValue?: string
  /** Columns of a table: the labels shown, in order, with their headings; `Value` is the value. */
  readonly columns?: Readonly<Record<string, string>>
  readonly sort?: { readonly by: string; readonly descending: boolean }
  readonly stacked?: boolean
  /** Where a click on what is shown leads. */
  readonly link?: { readonly title: string; readonly url: string }
}

export interface QuerySpec {
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

/** Something that happened, as a line through every panel. */
export interface AnnotationSpec {
  readonly name: string
  readonly expr: string
  readonly title: string
  readonly color: string
}

export interface DashboardSpec {
  readonly title: string
  readonly description: string
  readonly annotations: readonly AnnotationSpec[]
  readonly rows: readonly RowSpec[]
  readonly from: string
}

/** Nothing is well, anything is not. */
export const noneIsGood: readonly Step[] = [
  { from: null, color: 'green' },
  { from: 1, color: 'red' },
]

/** Nothing is well, anything wants a look. */
export const noneIsBetter: readonly Step[] = [
  { from: null, color: 'green' },
  { from: 1, color: 'orange' },
]

export const neutral: readonly Step[] = [{ from: null, color: 'text' }]

/** The status page narrowed down to a tenant and a check, each a template of Grafana. */
export function pageOf(tenant: string, check: string) {
  return { title: 'Findings on the status page', url: `\${page}/?tenant=${tenant}&check=${check}` }
}

/** Restricts a metric to the tenants that are chosen at the top of the dashboard. */
export function ofTenants(metric: string, ...matchers: readonly string[]): string {
  return `${metric}{${['tenant=~"$tenant"', ...matchers].join(',')}}`
}
