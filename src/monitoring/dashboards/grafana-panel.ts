import { PanelBuilder as Bars } from '@grafana/grafana-foundation-sdk/bargauge'
import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog'
import {
  BarGaugeDisplayMode,
  BigValueColorMode,
  BigValueGraphMode,
  type DataSourceRef,
  GraphGradientMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  SortOrder,
  StackingConfigBuilder,
  StackingMode,
  TableCellDisplayMode,
  TableSortByFieldStateBuilder,
  TooltipDisplayMode,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common'
import {
  type DashboardLink,
  DashboardLinkBuilder,
  type FieldColor,
  FieldColorBuilder,
  FieldColorModeId,
  MappingType,
  type Panel,
  type ThresholdsConfig,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMapping,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as Stat } from '@grafana/grafana-foundation-sdk/stat'
import { PanelBuilder as States } from '@grafana/grafana-foundation-sdk/statetimeline'
import { PanelBuilder as Table } from '@grafana/grafana-foundation-sdk/table'
import { PanelBuilder as Time } from '@grafana/grafana-foundation-sdk/timeseries'
import type { PanelSpec, Source } from './panel.ts'

/** Different variable names, because a link from one dashboard to another passes the values on. */
export const dataSourceVariables = {
  postgres: { name: 'database', label: 'Database', type: 'grafana-postgresql-datasource' },
  prometheus: { name: 'datasource', label: 'Data source', type: 'prometheus' },
} as const satisfies Readonly<Record<Source, object>>

/** The data source selected at the top of the dashboard, so that an import works in every Grafana installation. */
export function dataSourceOf(source: Source): DataSourceRef {
  const { name, type } = dataSourceVariables[source]
  return { type, uid: `\${${name}}` }
}

const usualHeight: Readonly<Record<PanelSpec['kind'], number>> = { stat: 4, table: 8, time: 8, states: 8, bars: 8 }

interface AnyPanel extends Builder<Panel> {
  title(title: string): this
  description(description: string): this
  datasource(datasource: DataSourceRef): this
  unit(unit: string): this
  decimals(decimals: number): this
  max(max: number): this
  span(width: number): this
  height(height: number): this
  noValue(text: string): this
  mappings(mappings: ValueMapping[]): this
  thresholds(thresholds: Builder<ThresholdsConfig>): this
  colorScheme(color: Builder<FieldColor>): this
  dataLinks(links: Builder<DashboardLink>[]): this
  withTarget(target: Builder<Dataquery>): this
}

export function grafanaPanel(spec: PanelSpec, source: Source): Builder<Panel> {
  const panel: AnyPanel = ofKind(spec)
  panel
    .title(spec.title)
    .description(spec.description)
    .datasource(dataSourceOf(source))
    .unit(spec.unit)
    .span(spec.span)
    .height(spec.height ?? usualHeight[spec.kind])
  if (spec.decimals !== undefined) panel.decimals(spec.decimals)
  if (spec.max !== undefined) panel.max(spec.max)
  if (spec.noValue !== undefined) panel.noValue(spec.noValue)
  if (spec.link !== undefined) {
    panel.dataLinks([new DashboardLinkBuilder(spec.link.title).url(spec.link.url).targetBlank(true)])
  }
  // In a table only the value column is mapped to words: an id may be the same number.
  if (spec.words !== undefined && spec.kind !== 'table') panel.mappings([words(spec.words)])
  if (spec.steps !== undefined) {
    const steps = spec.steps.map(({ from, color }) => ({ value: from, color }))
    panel.thresholds(new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps))
    panel.colorScheme(new FieldColorBuilder().mode(FieldColorModeId.Thresholds))
  }
  spec.queries.forEach((query, index) => {
    const refId = String.fromCharCode(65 + index)
    panel.withTarget(source === 'postgres' ? sqlTarget(query, refId) : target(spec, query, refId))
  })
  return panel
}

function target({ kind }: PanelSpec, { expr, legend }: PanelSpec['queries'][number], refId: string) {
  const query = new DataqueryBuilder()
    .datasource(dataSourceOf('prometheus'))
    .refId(refId)
    .expr(expr)
    .legendFormat(legend ?? '__auto')
  if (kind === 'time' || kind === 'states') return query.range()
  return query.instant().format(kind === 'table' ? PromQueryFormat.Table : PromQueryFormat.TimeSeries)
}

/** Grafana's builders do not include this data source. */
function sqlTarget({ expr }: PanelSpec['queries'][number], refId: string): Builder<Dataquery> {
  const query = { refId, datasource: dataSourceOf('postgres'), format: 'table', editorMode: 'code', rawQuery: true }
  return { build: () => ({ ...query, rawSql: expr, _implementsDataqueryVariant: () => {} }) as Dataquery }
}

function ofKind(spec: PanelSpec): AnyPanel {
  switch (spec.kind) {
    case 'stat':
      return new Stat()
        .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
        .colorMode(BigValueColorMode.Value)
        .graphMode(BigValueGraphMode.None)
    case 'bars':
      return new Bars()
        .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
        .displayMode(BarGaugeDisplayMode.Basic)
        .orientation(VizOrientation.Horizontal)
        .min(0)
    case 'states':
      return new States().mergeValues(true).showValue(VisibilityMode.Never).rowHeight(0.8).legend(legend())
    case 'time':
      return time(spec)
    case 'table':
      return table(spec)
    default:
      return spec.kind satisfies never
  }
}

function time({ stacked }: PanelSpec): Time {
  const panel = new Time()
    .lineWidth(1)
    .fillOpacity(stacked ? 30 : 8)
    .gradientMode(GraphGradientMode.None)
    .showPoints(VisibilityMode.Never)
    .legend(legend())
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
  return stacked ? panel.stacking(new StackingConfigBuilder().mode(StackingMode.Normal)) : panel
}

/** Shows only the named labels, in their order; the value is colored. */
function table({ columns, colored = columns?.['Value'] ?? 'Value', sort, words: shown }: PanelSpec): Table {
  const panel = new Table().overrideByName(colored, [
    { id: 'custom.cellOptions', value: { type: TableCellDisplayMode.ColorText } },
    ...(shown === undefined ? [] : [{ id: 'mappings', value: [words(shown)] }]),
  ])
  if (columns !== undefined) panel.withTransformation(organized(columns))
  if (sort === undefined) return panel
  return panel.sortBy([new TableSortByFieldStateBuilder().displayName(sort.by).desc(sort.descending)])
}

function organized(columns: NonNullable<PanelSpec['columns']>) {
  const names = Object.keys(columns)
  return {
    id: 'organize',
    options: {
      includeByName: Object.fromEntries(names.map((name) => [name, true])),
      indexByName: Object.fromEntries(names.map((name, index) => [name, index])),
      renameByName: columns,
    },
  }
}

function legend() {
  return new VizLegendOptionsBuilder()
    .displayMode(LegendDisplayMode.List)
    .placement(LegendPlacement.Bottom)
    .showLegend(true)
}

function words(table: NonNullable<PanelSpec['words']>): ValueMapping {
  const options = Object.entries(table).map(([value, shown], index) => [value, { ...shown, index }] as const)
  return { type: MappingType.ValueToText, options: Object.fromEntries(options) }
}
