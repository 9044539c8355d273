import type { Check } from '../../src/evaluate/check.ts'
import type { CataloguedFamily } from '../../src/metrics/catalogue.ts'
import { type ResourceDefinition, takesUpdatedAfter } from '../../src/model/resource.ts'
import { markdownTable } from './markdown.ts'

export type Sections = Readonly<Record<string, string>>

/**
 * Replaces the lines between `generated: <name>` and `end: <name>`, which are comments in the syntax of the page.
 *
 * @throws Error when the page lacks a section.
 */
export function fillSections(page: string, sections: Sections): string {
  return Object.entries(sections).reduce((text, [name, content]) => {
    const parts = new RegExp(`^([^\\n]*\\bgenerated: ${name}\\b[^\\n]*\\n).*?^([^\\n]*\\bend: ${name}\\b)`, 'ms')
    if (!parts.test(text)) throw new Error(`Cannot generate the section ${name}: the page has no place for it`)
    return text.replace(parts, (_, start: string, end: string) => `${start}${content}\n${end}`)
  }, page)
}

export function checksTable(checks: readonly Check[]): string {
  const rows = checks.map(({ id, title, severities }) => [`\`${id}\``, title, severities.toReversed().join(', ')])
  return `\n${markdownTable(['Check', 'Passes when', 'Severity'], rows)}\n`
}

export function metricsTable(families: readonly CataloguedFamily[]): string {
  const rows = families.map(({ name, type, labelNames, help }) => [
    `\`${name}\``,
    type,
    labelNames.map((label) => `\`${label}\``).join(', '),
    help,
  ])
  return `\n${markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows)}\n`
}

export function keysTable(rows: readonly (readonly [key: string, byDefault: string, meaning: string])[]): string {
  const cells = rows.map(([key, byDefault, meaning]) => [
    `\`${key}\``,
    byDefault === '' ? '' : `\`${byDefault}\``,
    meaning,
  ])
  return `\n${markdownTable(['Key', 'Default', 'Meaning'], cells)}\n`
}

export function endpointsTable(resources: readonly ResourceDefinition[]): string {
  const rows = resources.map((resource) => {
    const lookUp = resource.kind === 'feed' && resource.lookUp !== undefined ? [resource.lookUp.path] : []
    const requests = [resource.path, ...lookUp].map((path) => `\`GET ${path}\``)
    return [`\`${resource.name}\``, requests.join(', '), `\`${resource.permission}\``]
  })
  return `\n${markdownTable(['Resource', 'Requests', 'Permission of the token'], rows)}\n`
}

export function resourcesTable(resources: readonly ResourceDefinition[]): string {
  const rows = resources.map((resource) => [
    `\`${resource.name}\``,
    kindOf(resource),
    resource.kind === 'feed' ? 'from the stored cursor' : 'none',
    removalOf(resource),
  ])
  return `\n${markdownTable(['Resource', 'Kind', 'Incremental sync', 'Removal'], rows)}\n`
}

function kindOf({ kind, idField }: ResourceDefinition): string {
  if (kind === 'feed') return 'feed'
  if (kind === 'pagedList') return 'paginated list'
  return idField === null ? 'one object' : 'whole list'
}

function removalOf(resource: ResourceDefinition): string {
  if (resource.kind === 'whole') return resource.idField === null ? 'never' : 'at once'
  if (resource.kind === 'feed' && resource.removal === 'confirm') return 'each missing record is requested by id'
  return `after two full syncs${takesUpdatedAfter(resource) ? ', confirmed by `updatedAfter`' : ''}`
}

interface OwnView {
  readonly name: string
  readonly resource: string
  readonly columns: readonly { readonly name: string; readonly kind: string }[]
}

export function viewsOfOwnChecks(views: readonly OwnView[]): string {
  const sections = views.map(({ name, resource, columns }) => {
    const rows = columns.map((column) => [`\`${column.name}\``, column.kind])
    return `### \`${name}\` (input \`${resource}\`)\n\n${markdownTable(['Column', ''], rows).replace('|  |', '| |')}\n`
  })
  return `\n${sections.join('\n')}`
}
