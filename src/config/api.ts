import * as z from 'zod'
import { containsCertificate } from '../model/process/certificate-authorities.ts'
import { resources } from '../resources/index.ts'
import type { ApiSettings, PageSizeParameter } from './settings.ts'
import { proxyUrl } from './urls.ts'
import type { Context } from './yaml/context.ts'
import { whyUnreadable } from './yaml/errors.ts'
import { flag, numberBetween, positiveNumber, text, wholeNumber } from './yaml/leaves.ts'
import type { KeyPath, Report } from './yaml/report.ts'
import { isMap, readSection, type Section } from './yaml/section.ts'

const fields = {
  pageSizeParameter: z.unknown(),
  pageSize: wholeNumber(1, 10_000).optional(),
  timeoutSeconds: positiveNumber(600).optional(),
  maxPages: wholeNumber(1, 1_000_000_000).optional(),
  maxBodyMiB: positiveNumber(512).optional(),
  requestsPerSecond: numberBetween(0, 10_000).optional(),
  allowInsecureHttp: flag().optional(),
  proxy: proxyUrl().nullish(),
  caFile: text('expected the path of a file with PEM certificates').nullish(),
}

export type ApiSection = Omit<Section<typeof fields>, 'pageSizeParameter'> & {
  readonly pageSizeParameter?: PageSizeParameter
}

const defaults = {
  pageSizeParameter: null,
  pageSize: 200,
  timeoutSeconds: 30,
  maxPages: 100_000,
  maxBodyMiB: 8,
  requestsPerSecond: 10,
  allowInsecureHttp: false,
  proxy: null,
  caFile: null,
} as const satisfies Required<ApiSection>

export function readApi(raw: unknown, path: KeyPath, context: Context): ApiSection {
  const { report } = context
  const { pageSizeParameter, ...section } = readSection(fields, raw, path, report)
  const { caFile } = section
  if (typeof caFile === 'string') checkAuthorities(caFile, [...path, 'caFile'], context)
  const parameter = readPageSizeParameter(pageSizeParameter, [...path, 'pageSizeParameter'], report)
  return parameter === undefined ? section : { ...section, pageSizeParameter: parameter }
}

function checkAuthorities(file: string, path: KeyPath, { report, exists, ...context }: Context): void {
  if (!exists(file)) {
    report.wrong(path, file, 'expected a file that exists')
    return
  }
  const why = context.whyUnfit(file) ?? (context.needsSecrets ? whyNoAuthorities(() => context.read(file)) : null)
  if (why !== null) report.problem(path, `names the file \`${file}\`: ${why}`)
}

function whyNoAuthorities(read: () => string): string | null {
  try {
    return containsCertificate(read()) ? null : 'it contains no PEM certificate'
  } catch (error) {
    return whyUnreadable(error)
  }
}

/** One name for all feeds, or a map with a name for each feed; null or absent = none. */
function readPageSizeParameter(raw: unknown, path: KeyPath, report: Report): PageSizeParameter | undefined {
  const name = pageSizeParameter().nullish()
  if (isMap(raw)) {
    const feeds = resources.filter(({ kind }) => kind === 'feed').map((feed) => feed.name)
    const named = readSection(Object.fromEntries(feeds.map((feed) => [feed, name])), raw, path, report)
    return Object.fromEntries(feeds.map((feed) => [feed, named[feed] ?? null]))
  }
  return readSection({ pageSizeParameter: name }, { pageSizeParameter: raw }, path.slice(0, -1), report)
    .pageSizeParameter
}

export function mergeApi(general: ApiSection, own: ApiSection): ApiSettings {
  const { timeoutSeconds, maxBodyMiB, ...rest } = { ...defaults, ...general, ...own }
  return { ...rest, timeoutMs: Math.ceil(timeoutSeconds * 1000), maxBodyBytes: Math.ceil(maxBodyMiB * 2 ** 20) }
}

function pageSizeParameter() {
  const wanted = 'expected the name of a query parameter other than cursor and updatedAfter'
  return text(wanted, /^(?!(?:cursor|updatedAfter)$)[\w.~[\]-]{1,64}$/)
}
