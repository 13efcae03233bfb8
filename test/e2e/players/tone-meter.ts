/** Runs in the browser: the loudest frequency that an element plays. Unmutes it. @returns in Hz; 0 = silence */
export function toneMeter(video: HTMLVideoElement): () => number {
  const audio = new AudioContext();
  const analyser = new AnalyserNode(audio, { fftSize: 8192, smoothingTimeConstant: 0 });
  audio.createMediaElementSource(video).connect(analyser).connect(audio.destination);
  video.muted = false;
  const levels = new Float32Array(analyser.frequencyBinCount); // in dB
  return () => {
    analyser.getFloatFrequencyData(levels);
    const loudest = levels.reduce((best, level, bin) => (level > levels[best]! ? bin : best), 0);
    return levels[loudest]! < -60 ? 0 : (loudest * audio.sampleRate) / analyser.fftSize;
  };
}
