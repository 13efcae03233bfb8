/** A WAVE file of 16-bit samples, the same in each channel. @param sampleAt −1 to 1 */
export function waveFile({
  sampleRateHz,
  channels,
  samples,
  sampleAt,
}: {
  sampleRateHz: number;
  channels: number;
  samples: number;
  sampleAt: (index: number) => number;
}): Buffer {
  const bytesOfFrame = 2 * channels;
  const file = Buffer.alloc(44 + samples * bytesOfFrame);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20); // PCM
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(sampleRateHz, 24);
  file.writeUInt32LE(sampleRateHz * bytesOfFrame, 28);
  file.writeUInt16LE(bytesOfFrame, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(samples * bytesOfFrame, 40);
  for (let index = 0; index < samples; index += 1)
    for (let channel = 0; channel < channels; channel += 1)
      file.writeInt16LE(Math.round(sampleAt(index) * 32_767), 44 + index * bytesOfFrame + 2 * channel);
  return file;
}
