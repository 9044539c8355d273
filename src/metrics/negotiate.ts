/** True when an Accept header asks for OpenMetrics at least as eagerly as for the Prometheus text format. */
export function wantsOpenMetrics(accept: string | undefined): boolean {
  if (accept === undefined) return false
  let openMetrics = 0
  let text = 0
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = readQuality(parameters)
    if (type === 'application/openmetrics-text' && takesVersion1(parameters))
      openMetrics = Math.max(openMetrics, quality)
    if (type === 'text/plain') text = Math.max(text, quality)
  }
  return openMetrics > 0 && openMetrics >= text
}

function readQuality(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const quality = text === undefined ? 1 : Number(text)
  return quality >= 0 && quality <= 1 ? quality : 0
}

function takesVersion1(parameters: readonly string[]): boolean {
  const version = parameters.find((parameter) => parameter.startsWith('version='))?.slice('version='.length)
  return version === undefined || version === '1.0.0'
}
