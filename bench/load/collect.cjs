const { Session } = require('node:inspector')

// Loaded before a program whose memory is measured: when asked to, it collects its garbage and gives its memory back, which gc() alone does not.
const session = new Session()
session.connect()
process.on('SIGUSR2', () => session.post('HeapProfiler.collectGarbage'))
