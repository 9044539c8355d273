/** First names, each with its form in e-mail addresses. */
export const firstNames = [
  ['Amara', 'amara'],
  ['Zoë', 'zoe'],
  ['Łukasz', 'lukasz'],
  ['José', 'jose'],
  ['Søren', 'soren'],
  ['Nguyễn', 'nguyen'],
  ['Ольга', 'olga'],
  ['美咲', 'misaki'],
  ['Aoife', 'aoife'],
  ['Jürgen', 'juergen'],
  ['Mary Ann', 'mary-ann'],
  ['Ibrahim', 'ibrahim'],
  ['Priya', 'priya'],
  ['Noah', 'noah'],
  ['Elif', 'elif'],
  ['محمد', 'mohammed'],
  ['Chloe', 'chloe'],
  ['Björk', 'bjork'],
  ['Ines', 'ines'],
  ['Dmitri', 'dmitri'],
] as const

export const lastNames = [
  ["O'Brien", 'obrien'],
  ['García Márquez', 'garcia'],
  ['Müller', 'mueller'],
  ['van den Berg', 'vandenberg'],
  ['Ångström', 'angstrom'],
  ['Kowalczyk', 'kowalczyk'],
  ['Smith', 'smith'],
  ['Øverland', 'overland'],
  ['田中', 'tanaka'],
  ['Иванова', 'ivanova'],
  ['Nkemelu', 'nkemelu'],
  ['Yılmaz', 'yilmaz'],
  ['St. John', 'st-john'],
  ['Patel', 'patel'],
  ['Dvořák', 'dvorak'],
  ['Lopez-Diaz', 'lopez-diaz'],
  ['de Souza', 'desouza'],
] as const

export const documentTitles = [
  'SOC 2 Type II report',
  'ISO 27001 certificate',
  'Penetration test summary',
  'Information security policy',
  'Business continuity plan',
  'Data processing agreement',
  'Access review',
  'Incident response playbook',
  'Vendor risk assessment',
  'Richtlinie für Zugriffsrechte',
  'Política de privacidad',
  'Backup restore evidence',
  'Training records, "all hands"',
] as const

export const documentUnits = ['Finance', 'Platform', 'HR', 'Sales', 'Legal', 'Zürich', 'Operations'] as const

export const documentEndings = ['.pdf', '.docx', '.xlsx', '.PDF', '.pptx'] as const

export const integrationNames = [
  'Warehouse sync',
  'Ticket bridge',
  'Payroll feed',
  'SIEM forwarder',
  'BI export',
] as const
