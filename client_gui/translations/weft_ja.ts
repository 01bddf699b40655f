<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja">
<context>
    <name>Age</name>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 時間</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 日</translation>
    </message>
</context>
<context>
    <name>BenchmarkText</name>
    <message>
        <source>%1: %2</source>
        <comment>a device and what it is</comment>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>%1 MHz before, %2 MHz after</source>
        <translation>開始時 %1 MHz、終了時 %2 MHz</translation>
    </message>
    <message>
        <source>copies %1 GB/s</source>
        <translation>コピー %1 GB/s</translation>
    </message>
    <message>
        <source>fp32 %1 GFLOP/s</source>
        <translation>fp32 %1 GFLOP/s</translation>
    </message>
    <message>
        <source>fp16 on tensor cores %1 GFLOP/s</source>
        <translation>fp16 (Tensor コア) %1 GFLOP/s</translation>
    </message>
    <message>
        <source>Others had work on the device meanwhile: times are longer than on an idle one.</source>
        <translation>測定中にほかの処理もデバイスを使っていました。空いているときより時間が長くなっています。</translation>
    </message>
</context>
<context>
    <name>Choices</name>
    <message>
        <source>unspecified</source>
        <translation>未指定</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>待機中</translation>
    </message>
    <message>
        <source>running</source>
        <translation>実行中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>一時停止</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>通常</translation>
    </message>
    <message>
        <source>spare</source>
        <translation>空き時間</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>起動中</translation>
    </message>
    <message>
        <source>in service</source>
        <translation>稼働中</translation>
    </message>
    <message>
        <source>draining</source>
        <translation>ドレイン中</translation>
    </message>
    <message>
        <source>drained</source>
        <translation>ドレイン済み</translation>
    </message>
    <message>
        <source>out of service</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>taken</source>
        <translation>他で使用中</translation>
    </message>
    <message>
        <source>unused</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>realtime</source>
        <translation>リアルタイム</translation>
    </message>
    <message>
        <source>field</source>
        <translation>フィールド</translation>
    </message>
    <message>
        <source>frame</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自動</translation>
    </message>
    <message>
        <source>top</source>
        <translation>トップ</translation>
    </message>
    <message>
        <source>bottom</source>
        <translation>ボトム</translation>
    </message>
    <message>
        <source>all</source>
        <translation>すべて</translation>
    </message>
    <message>
        <source>flagged</source>
        <translation>フラグあり</translation>
    </message>
    <message>
        <source>cpu</source>
        <translation>cpu</translation>
    </message>
    <message>
        <source>x264</source>
        <translation>x264</translation>
    </message>
    <message>
        <source>x265</source>
        <translation>x265</translation>
    </message>
    <message>
        <source>svt av1</source>
        <translation>svt av1</translation>
    </message>
    <message>
        <source>ffv1</source>
        <translation>ffv1</translation>
    </message>
    <message>
        <source>raw</source>
        <translation>raw</translation>
    </message>
    <message>
        <source>h264 nvenc</source>
        <translation>h264 nvenc</translation>
    </message>
    <message>
        <source>hevc nvenc</source>
        <translation>hevc nvenc</translation>
    </message>
    <message>
        <source>null</source>
        <translation>null</translation>
    </message>
    <message>
        <source>drop</source>
        <translation>除外</translation>
    </message>
    <message>
        <source>refuse</source>
        <translation>拒否</translation>
    </message>
    <message>
        <source>bloom</source>
        <translation>ブルーム</translation>
    </message>
    <message>
        <source>convolve</source>
        <translation>畳み込みのみ</translation>
    </message>
    <message>
        <source>natural</source>
        <translation>ナチュラル</translation>
    </message>
    <message>
        <source>standard</source>
        <translation>標準</translation>
    </message>
    <message>
        <source>convolution</source>
        <translation>畳み込み</translation>
    </message>
    <message>
        <source>starburst</source>
        <translation>スターバースト</translation>
    </message>
    <message>
        <source>anamorphic</source>
        <translation>アナモルフィック</translation>
    </message>
    <message>
        <source>soft focus</source>
        <translation>ソフトフォーカス</translation>
    </message>
    <message>
        <source>fog glow</source>
        <translation>フォググロー</translation>
    </message>
    <message>
        <source>fft</source>
        <translation>fft</translation>
    </message>
    <message>
        <source>dual</source>
        <translation>デュアル</translation>
    </message>
    <message>
        <source>conserving</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>additive</source>
        <translation>加算</translation>
    </message>
    <message>
        <source>zero</source>
        <translation>黒</translation>
    </message>
    <message>
        <source>clamp</source>
        <translation>端の延長</translation>
    </message>
    <message>
        <source>mirror</source>
        <translation>鏡映</translation>
    </message>
    <message>
        <source>balanced</source>
        <translation>バランス</translation>
    </message>
    <message>
        <source>tinted</source>
        <translation>色付き</translation>
    </message>
    <message>
        <source>gray</source>
        <translation>グレー</translation>
    </message>
    <message>
        <source>power</source>
        <translation>べき乗</translation>
    </message>
    <message>
        <source>gaussian</source>
        <translation>ガウス</translation>
    </message>
    <message>
        <source>aperture</source>
        <translation>絞り</translation>
    </message>
    <message>
        <source>streak</source>
        <translation>ストリーク</translation>
    </message>
    <message>
        <source>fp32</source>
        <translation>32 ビット浮動小数点</translation>
    </message>
    <message>
        <source>fp16</source>
        <translation>16 ビット浮動小数点</translation>
    </message>
    <message>
        <source>half</source>
        <translation>ハーフ</translation>
    </message>
    <message>
        <source>float</source>
        <translation>フロート</translation>
    </message>
    <message>
        <source>fail</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>skip</source>
        <translation>スキップ</translation>
    </message>
    <message>
        <source>point</source>
        <translation>最近傍</translation>
    </message>
    <message>
        <source>bilinear</source>
        <translation>バイリニア</translation>
    </message>
    <message>
        <source>bicubic</source>
        <translation>バイキュービック</translation>
    </message>
    <message>
        <source>lanczos2</source>
        <translation>lanczos2</translation>
    </message>
    <message>
        <source>lanczos3</source>
        <translation>lanczos3</translation>
    </message>
    <message>
        <source>lanczos4</source>
        <translation>lanczos4</translation>
    </message>
    <message>
        <source>spline16</source>
        <translation>spline16</translation>
    </message>
    <message>
        <source>spline36</source>
        <translation>spline36</translation>
    </message>
    <message>
        <source>spline64</source>
        <translation>spline64</translation>
    </message>
    <message>
        <source>blackman</source>
        <translation>blackman</translation>
    </message>
    <message>
        <source>gauss</source>
        <translation>ガウス</translation>
    </message>
    <message>
        <source>sinc</source>
        <translation>sinc</translation>
    </message>
    <message>
        <source>left</source>
        <translation>左</translation>
    </message>
    <message>
        <source>centre</source>
        <translation>中央</translation>
    </message>
    <message>
        <source>top left</source>
        <translation>左上</translation>
    </message>
    <message>
        <source>bottom left</source>
        <translation>左下</translation>
    </message>
    <message>
        <source>clock</source>
        <translation>右 90 度</translation>
    </message>
    <message>
        <source>cclock</source>
        <translation>左 90 度</translation>
    </message>
    <message>
        <source>clock flip</source>
        <translation>右 90 度 + 上下反転</translation>
    </message>
    <message>
        <source>cclock flip</source>
        <translation>左 90 度 + 上下反転</translation>
    </message>
    <message>
        <source>hflip</source>
        <translation>左右反転</translation>
    </message>
    <message>
        <source>vflip</source>
        <translation>上下反転</translation>
    </message>
    <message>
        <source>420</source>
        <translation>4:2:0</translation>
    </message>
    <message>
        <source>422</source>
        <translation>4:2:2</translation>
    </message>
    <message>
        <source>444</source>
        <translation>4:4:4</translation>
    </message>
    <message>
        <source>bt601</source>
        <translation>BT.601</translation>
    </message>
    <message>
        <source>bt709</source>
        <translation>BT.709</translation>
    </message>
    <message>
        <source>bt2020</source>
        <translation>BT.2020</translation>
    </message>
    <message>
        <source>limited</source>
        <translation>リミテッド</translation>
    </message>
    <message>
        <source>full</source>
        <translation>フル</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>ordered</source>
        <translation>組織的</translation>
    </message>
    <message>
        <source>one</source>
        <translation>1</translation>
    </message>
    <message>
        <source>two</source>
        <translation>2</translation>
    </message>
    <message>
        <source>four</source>
        <translation>4</translation>
    </message>
    <message>
        <source>edges</source>
        <translation>エッジ</translation>
    </message>
    <message>
        <source>luma</source>
        <translation>輝度</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>最初の大きさに合わせる</translation>
    </message>
    <message>
        <source>note</source>
        <translation>記録</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>コピー</translation>
    </message>
    <message>
        <source>aac</source>
        <translation>aac</translation>
    </message>
    <message>
        <source>flac</source>
        <translation>flac</translation>
    </message>
    <message>
        <source>split</source>
        <translation>分割</translation>
    </message>
    <message>
        <source>square</source>
        <translation>正方形</translation>
    </message>
    <message>
        <source>hexagon</source>
        <translation>六角形</translation>
    </message>
    <message>
        <source>uneven</source>
        <translation>不均等</translation>
    </message>
    <message>
        <source>exhaustive</source>
        <translation>全探索</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>はい</translation>
    </message>
    <message>
        <source>fast</source>
        <translation>高速</translation>
    </message>
    <message>
        <source>best</source>
        <translation>最高</translation>
    </message>
    <message>
        <source>no</source>
        <translation>いいえ</translation>
    </message>
    <message>
        <source>placebo</source>
        <translation>プラセボ</translation>
    </message>
    <message>
        <source>very slow</source>
        <translation>非常に低速</translation>
    </message>
    <message>
        <source>slower</source>
        <translation>より低速</translation>
    </message>
    <message>
        <source>slow</source>
        <translation>低速</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>中速</translation>
    </message>
    <message>
        <source>faster</source>
        <translation>より高速</translation>
    </message>
    <message>
        <source>very fast</source>
        <translation>非常に高速</translation>
    </message>
    <message>
        <source>super fast</source>
        <translation>超高速</translation>
    </message>
    <message>
        <source>ultra fast</source>
        <translation>極めて高速</translation>
    </message>
    <message>
        <source>draft</source>
        <translation>ドラフト</translation>
    </message>
    <message>
        <source>interlaced</source>
        <translation>インターレース</translation>
    </message>
    <message>
        <source>progressive</source>
        <translation>プログレッシブ</translation>
    </message>
    <message>
        <source>repair</source>
        <translation>修復</translation>
    </message>
    <message>
        <source>repair other</source>
        <translation>修復 (他方のライン)</translation>
    </message>
    <message>
        <source>nnedi</source>
        <translation>nnedi</translation>
    </message>
    <message>
        <source>bwdif</source>
        <translation>bwdif</translation>
    </message>
    <message>
        <source>yadif</source>
        <translation>yadif</translation>
    </message>
    <message>
        <source>bob</source>
        <translation>bob</translation>
    </message>
    <message>
        <source>dv sd</source>
        <translation>dv sd</translation>
    </message>
    <message>
        <source>dv hd</source>
        <translation>dv hd</translation>
    </message>
    <message>
        <source>generate</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>albedo</source>
        <translation>アルベド</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>bc7</source>
        <translation>BC7</translation>
    </message>
    <message>
        <source>bc1</source>
        <translation>BC1</translation>
    </message>
    <message>
        <source>bc3</source>
        <translation>BC3</translation>
    </message>
    <message>
        <source>bc4</source>
        <translation>BC4</translation>
    </message>
    <message>
        <source>bc5</source>
        <translation>BC5</translation>
    </message>
    <message>
        <source>rgba8</source>
        <translation>RGBA8</translation>
    </message>
    <message>
        <source>keep</source>
        <translation>維持</translation>
    </message>
    <message>
        <source>linear</source>
        <translation>線形</translation>
    </message>
    <message>
        <source>stored</source>
        <translation>格納値</translation>
    </message>
    <message>
        <source>srgb</source>
        <translation>sRGB</translation>
    </message>
    <message>
        <source>make</source>
        <translation>作成</translation>
    </message>
    <message>
        <source>wrap</source>
        <translation>繰り返し</translation>
    </message>
    <message>
        <source>zstd</source>
        <translation>zstd</translation>
    </message>
    <message>
        <source>bc4s</source>
        <translation>BC4s</translation>
    </message>
    <message>
        <source>bc5s</source>
        <translation>BC5s</translation>
    </message>
    <message>
        <source>grid</source>
        <translation>グリッド</translation>
    </message>
    <message>
        <source>direct</source>
        <translation>直接</translation>
    </message>
    <message>
        <source>large</source>
        <translation>大</translation>
    </message>
    <message>
        <source>compaction</source>
        <translation>compaction</translation>
    </message>
    <message>
        <source>gemv</source>
        <translation>gemv</translation>
    </message>
    <message>
        <source>gemm</source>
        <translation>gemm</translation>
    </message>
    <message>
        <source>vector</source>
        <translation>vector</translation>
    </message>
    <message>
        <source>nbody</source>
        <translation>nbody</translation>
    </message>
    <message>
        <source>bilateral</source>
        <translation>bilateral</translation>
    </message>
    <message>
        <source>launch</source>
        <translation>launch</translation>
    </message>
    <message>
        <source>reduction</source>
        <translation>reduction</translation>
    </message>
    <message>
        <source>sad</source>
        <translation>sad</translation>
    </message>
    <message>
        <source>filters</source>
        <translation>filters</translation>
    </message>
    <message>
        <source>limits</source>
        <translation>limits</translation>
    </message>
    <message>
        <source>small</source>
        <translation>小</translation>
    </message>
    <message>
        <source>off</source>
        <translation>オフ</translation>
    </message>
    <message>
        <source>replace</source>
        <translation>置き換え</translation>
    </message>
</context>
<context>
    <name>Declared</name>
    <message>
        <source>%1 %2</source>
        <comment>range and unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 ～ %2</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>%1 以上</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>%1 以下</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>a whole number, %1</source>
        <translation>整数 (%1)</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数値</translation>
    </message>
    <message>
        <source>a number, %1</source>
        <translation>数値 (%1)</translation>
    </message>
    <message>
        <source>one of: %1</source>
        <translation>次のいずれか: %1</translation>
    </message>
    <message>
        <source>a text of at most %1 bytes</source>
        <translation>%1 バイト以下の文字列</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>help and range</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>lines of the form %1, at most %2</source>
        <translation>1 行に 1 つの %1 (%2 行以下)</translation>
    </message>
    <message>
        <source>on each of at most %1 lines %2</source>
        <translation>1 行に 1 つの%2 (%1 行以下)</translation>
    </message>
    <message>
        <source>%1 Sets %2.</source>
        <translation>%1 次の値にします: %2。</translation>
    </message>
    <message>
        <source>filters with commas between them</source>
        <translation>コンマで区切ったフィルター</translation>
    </message>
    <message>
        <source>seconds, HH:MM:SS, or a frame number such as 120f</source>
        <translation>秒数、HH:MM:SS、または 120f のようなフレーム番号</translation>
    </message>
    <message>
        <source>a range of frame numbers such as 1-100 or 1-100x2</source>
        <translation>1-100 や 1-100x2 のようなフレーム番号の範囲</translation>
    </message>
</context>
<context>
    <name>DeviceText</name>
    <message>
        <source>realtime</source>
        <translation>リアルタイム</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>通常</translation>
    </message>
    <message>
        <source>spare</source>
        <translation>空き時間</translation>
    </message>
    <message>
        <source>others</source>
        <translation>その他</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>アイドル</translation>
    </message>
    <message>
        <source>Frames of streams that have deadlines.</source>
        <translation>期限のあるストリームのフレームです。</translation>
    </message>
    <message>
        <source>Jobs of the class normal, and streams without deadlines.</source>
        <translation>通常クラスのジョブと、期限のないストリームです。</translation>
    </message>
    <message>
        <source>Jobs of the class spare: only in time that is left over.</source>
        <translation>空き時間クラスのジョブです。余った時間にだけ実行されます。</translation>
    </message>
    <message>
        <source>Other programs, as far as the driver tells.</source>
        <translation>ドライバーが報告する範囲での他のプログラムです。</translation>
    </message>
    <message>
        <source>Nobody had the device.</source>
        <translation>デバイスは使われていません。</translation>
    </message>
    <message>
        <source>%1 of spare time used, %2 over the last %3</source>
        <translation>空き時間の利用率 %1、過去 %3では %2</translation>
    </message>
    <message>
        <source>budget %1 a second, used %2 (%3)</source>
        <translation>割り当て毎秒 %1、使用 %2 (%3)</translation>
    </message>
    <message>
        <source>last batch %1</source>
        <translation>直近のバッチ %1</translation>
    </message>
    <message>
        <source>%1 units/s</source>
        <translation>%1 単位/秒</translation>
    </message>
    <message>
        <source>jobs %1</source>
        <translation>ジョブ %1</translation>
    </message>
    <message>
        <source>%1 promised to streams and others</source>
        <translation>ストリームなどに確保済み %1</translation>
    </message>
    <message>
        <source>worker started %1 times</source>
        <translation>ワーカーの起動 %1 回</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1, all programs %2</source>
        <translation>%1、全プログラム %2</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 秒</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ミリ秒</translation>
    </message>
    <message>
        <source>decoding</source>
        <translation>デコード</translation>
    </message>
    <message>
        <source>copying to the device</source>
        <translation>デバイスへのコピー</translation>
    </message>
    <message>
        <source>the device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>encoding</source>
        <translation>エンコード</translation>
    </message>
    <message>
        <source>the disk</source>
        <translation>ディスク</translation>
    </message>
    <message>
        <source>waiting for %1</source>
        <translation>%1 を待っています</translation>
    </message>
</context>
<context>
    <name>Facts</name>
    <message>
        <source>on no device</source>
        <translation>デバイスなし</translation>
    </message>
    <message>
        <source>%1, began %2</source>
        <translation>%1、開始 %2</translation>
    </message>
    <message>
        <source>, took %1</source>
        <translation>、所要 %1</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>進捗</translation>
    </message>
    <message>
        <source>%1 of %2 %3, %4%</source>
        <comment>so many of so many frames, a part</comment>
        <translation>%1 / %2 %3 (%4%)</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>処理段階</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>%1 a second</source>
        <translation>毎秒 %1</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>残り時間</translation>
    </message>
    <message>
        <source>Why it failed</source>
        <translation>失敗の理由</translation>
    </message>
    <message>
        <source>Why it waits</source>
        <translation>待機の理由</translation>
    </message>
    <message>
        <source>Begins in</source>
        <translation>開始まで</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>約 %1</translation>
    </message>
    <message>
        <source>Takes</source>
        <translation>所要時間</translation>
    </message>
    <message>
        <source>about %1 on %2</source>
        <translation>約 %1 (%2)</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>Id</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>入力ファイル</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>入力</translation>
    </message>
    <message>
        <source>Writes</source>
        <translation>出力ファイル</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>出力</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>ラベル</translation>
    </message>
    <message>
        <source>Queued as</source>
        <translation>キューでの扱い</translation>
    </message>
    <message>
        <source>%1, priority %2</source>
        <comment>a class of jobs</comment>
        <translation>%1、優先度 %2</translation>
    </message>
    <message>
        <source>Submitted</source>
        <translation>投入</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>開始</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>%1, of it %2 on the device</source>
        <translation>%1 (うちデバイス上 %2)</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>処理単位</translation>
    </message>
    <message>
        <source>%1 in, %2 out</source>
        <translation>入力 %1、出力 %2</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>サイズ</translation>
    </message>
    <message>
        <source>Segments</source>
        <translation>セグメント</translation>
    </message>
    <message>
        <source>%1, of them %2 from earlier attempts</source>
        <translation>%1 (うち %2 は以前の試行によるもの)</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>注意</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>処理段</translation>
    </message>
    <message>
        <source>%1 a second alone, %2% of the time</source>
        <translation>単独で毎秒 %1、稼働 %2%</translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation>試行</translation>
    </message>
    <message>
        <source>There is no log yet: the job has not begun.</source>
        <translation>ログはまだありません。ジョブは始まっていません。</translation>
    </message>
    <message>
        <source>The log has no line yet.</source>
        <translation>ログにはまだ行がありません。</translation>
    </message>
    <message>
        <source>%1, %2 times as fast as the default</source>
        <comment>a shape of blocks</comment>
        <translation>%1、既定の %2 倍の速さ</translation>
    </message>
    <message>
        <source>1 case</source>
        <translation>1 ケース</translation>
    </message>
    <message>
        <source>%1 cases</source>
        <translation>%1 ケース</translation>
    </message>
    <message>
        <source>, %1 not timed</source>
        <translation>、うち %1 は計測できず</translation>
    </message>
    <message>
        <source>, the best at %1% of the limit (%2)</source>
        <translation>、最高で上限の %1% (%2)</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>結果</translation>
    </message>
</context>
<context>
    <name>JobColumns</name>
    <message>
        <source>State</source>
        <translation>状態</translation>
    </message>
    <message>
        <source>Where the job is in its life.</source>
        <translation>ジョブの現在の状態です。</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>進捗</translation>
    </message>
    <message>
        <source>How much of the job is done.</source>
        <translation>ジョブの完了した割合です。</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>残り時間</translation>
    </message>
    <message>
        <source>Time until the job ends, at its present rate.</source>
        <translation>現在の速度で終わるまでの時間です。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Frames or images a second.</source>
        <translation>1 秒あたりのフレーム数または画像数です。</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>What is read and what is written.</source>
        <translation>読み込むファイルと書き込むファイルです。</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>種類</translation>
    </message>
    <message>
        <source>What is done.</source>
        <translation>処理の種類です。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Where the job runs or last ran.</source>
        <translation>ジョブを実行中の、または最後に実行したデバイスです。</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>クラス</translation>
    </message>
    <message>
        <source>How urgent the job is.</source>
        <translation>ジョブの緊急度です。</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>優先度</translation>
    </message>
    <message>
        <source>Higher goes first.</source>
        <translation>大きいほど先に実行されます。</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Whose job it is.</source>
        <translation>ジョブの所有者です。</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Why the job waits, or why it failed.</source>
        <translation>待機または失敗の理由です。</translation>
    </message>
    <message>
        <source>Tries</source>
        <translation>試行</translation>
    </message>
    <message>
        <source>Attempts so far, of those allowed.</source>
        <translation>これまでの試行回数と上限です。</translation>
    </message>
    <message>
        <source>Age</source>
        <translation>経過</translation>
    </message>
    <message>
        <source>Time since the job was submitted.</source>
        <translation>投入されてからの時間です。</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>The server that has the job.</source>
        <translation>ジョブを持つサーバーです。</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>Id</translation>
    </message>
    <message>
        <source>The job&apos;s name for ever.</source>
        <translation>変わることのないジョブの名前です。</translation>
    </message>
    <message>
        <source>Labels</source>
        <translation>ラベル</translation>
    </message>
    <message>
        <source>What its owner marked the job with.</source>
        <translation>所有者がジョブに付けた印です。</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>終了</translation>
    </message>
    <message>
        <source>When the job ended: the time today, or the day and the time.</source>
        <translation>ジョブが終わった時です。今日なら時刻、それ以外は日付と時刻です。</translation>
    </message>
</context>
<context>
    <name>LanguageText</name>
    <message>
        <source>Language of the s&amp;ystem</source>
        <translation>システムの言語(&amp;Y)</translation>
    </message>
</context>
<context>
    <name>Main</name>
    <message>
        <source>Look at the daemon there; may be given several times.</source>
        <translation>指定したデーモンを表示します。複数回指定できます。</translation>
    </message>
    <message>
        <source>Colours: system, light or dark.</source>
        <translation>配色: system、light、dark のいずれか。</translation>
    </message>
    <message>
        <source>A file to make a job of; may be given several times.</source>
        <translation>ジョブにするファイル。複数回指定できます。</translation>
    </message>
    <message>
        <source>The kind of the jobs of --add.</source>
        <translation>--add のジョブの種類。</translation>
    </message>
    <message>
        <source>Write a picture of the view to FILE, and end.</source>
        <translation>ビューの画像を FILE に書き込んで終了します。</translation>
    </message>
    <message>
        <source>Look on for so long before the picture.</source>
        <translation>画像を撮るまでに待つ秒数。</translation>
    </message>
    <message>
        <source>Shows and steers the jobs and devices of Weft daemons.</source>
        <translation>Weft デーモンのジョブとデバイスを表示し、操作します。</translation>
    </message>
    <message>
        <source>Where the picture goes.</source>
        <translation>画像の書き込み先。</translation>
    </message>
    <message>
        <source>Language of this start: %1.</source>
        <translation>今回の起動の言語: %1。</translation>
    </message>
</context>
<context>
    <name>Options</name>
    <message>
        <source>Input</source>
        <translation>入力</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>出力</translation>
    </message>
    <message>
        <source>The file to write; its extension chooses the container.</source>
        <translation>書き出すファイルです。コンテナーは拡張子で決まります。</translation>
    </message>
    <message>
        <source>Doubles the lines of each field.</source>
        <translation>各フィールドのラインを 2 倍にします。</translation>
    </message>
    <message>
        <source>Weaves two fields that follow each other; combed where there is motion.</source>
        <translation>続く 2 つのフィールドを織り合わせます。動きのある部分には櫛状のノイズが出ます。</translation>
    </message>
    <message>
        <source>Edge-directed interpolation bounded by the neighbouring fields; FFmpeg&apos;s yadif, byte for byte.</source>
        <translation>エッジの向きに沿って補間し、結果を前後のフィールドの範囲に収めます。FFmpeg の yadif とバイト単位で一致します。</translation>
    </message>
    <message>
        <source>Motion-adaptive cubic interpolation; FFmpeg&apos;s bwdif, byte for byte.</source>
        <translation>動き適応の 3 次補間です。FFmpeg の bwdif とバイト単位で一致します。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>レート</translation>
    </message>
    <message>
        <source>How many pictures come out.</source>
        <translation>出力するピクチャーの数です。</translation>
    </message>
    <message>
        <source>One picture a field: 59.94p from 59.94i.</source>
        <translation>1 フィールドにつき 1 枚です。59.94i は 59.94p になります。</translation>
    </message>
    <message>
        <source>One picture a frame: 29.97p from 59.94i.</source>
        <translation>1 フレームにつき 1 枚です。59.94i は 29.97p になります。</translation>
    </message>
    <message>
        <source>Parity</source>
        <translation>フィールド順</translation>
    </message>
    <message>
        <source>Which field of a frame comes first in time.</source>
        <translation>フレームのどちらのフィールドが時間的に先かを指定します。</translation>
    </message>
    <message>
        <source>As the stream says; top where it does not say.</source>
        <translation>ストリームの指定に従います。指定がなければトップが先です。</translation>
    </message>
    <message>
        <source>The top field (lines 0, 2, 4 ...).</source>
        <translation>トップフィールド (ライン 0、2、4 …) です。</translation>
    </message>
    <message>
        <source>The bottom field (lines 1, 3, 5 ...).</source>
        <translation>ボトムフィールド (ライン 1、3、5 …) です。</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>Which frames are deinterlaced.</source>
        <translation>インターレースを解除するフレームです。</translation>
    </message>
    <message>
        <source>All frames.</source>
        <translation>すべてのフレームです。</translation>
    </message>
    <message>
        <source>Only frames that the stream flags as interlaced; the others pass unchanged, once.</source>
        <translation>ストリームでインターレースとされているフレームだけを処理します。ほかのフレームはそのまま 1 回だけ出力します。</translation>
    </message>
    <message>
        <source>Bound the result by the lines two above and two below as well.</source>
        <translation>2 ライン上と 2 ライン下の値でも結果の範囲を制限します。</translation>
    </message>
    <message>
        <source>Decoding</source>
        <translation>デコード</translation>
    </message>
    <message>
        <source>Decoder</source>
        <translation>デコーダー</translation>
    </message>
    <message>
        <source>Who decodes the input.</source>
        <translation>入力をデコードするものです。</translation>
    </message>
    <message>
        <source>The decoder of the GPU that the job runs on, where it knows the format; else the CPU.</source>
        <translation>ジョブを実行する GPU が対応する形式ならそのデコーダー、それ以外は CPU を使います。</translation>
    </message>
    <message>
        <source>The CPU.</source>
        <translation>CPU を使います。</translation>
    </message>
    <message>
        <source>Decoder threads</source>
        <translation>デコードのスレッド</translation>
    </message>
    <message>
        <source>CPU threads that decode; 0 chooses by the machine.</source>
        <translation>デコードに使う CPU のスレッド数です。0 ではマシンに合わせて決めます。</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>スレッド</translation>
    </message>
    <message>
        <source>Encoding</source>
        <translation>エンコード</translation>
    </message>
    <message>
        <source>Encoder</source>
        <translation>エンコーダー</translation>
    </message>
    <message>
        <source>Who encodes the output.</source>
        <translation>出力をエンコードするものです。</translation>
    </message>
    <message>
        <source>By the output&apos;s extension: raw for y4m, svt-av1 for webm, else x264.</source>
        <translation>出力の拡張子で決めます。y4m なら raw、webm なら svt-av1、それ以外は x264 です。</translation>
    </message>
    <message>
        <source>H.264 by libx264.</source>
        <translation>libx264 による H.264 です。</translation>
    </message>
    <message>
        <source>H.265 by libx265.</source>
        <translation>libx265 による H.265 です。</translation>
    </message>
    <message>
        <source>AV1 by SVT-AV1.</source>
        <translation>SVT-AV1 による AV1 です。</translation>
    </message>
    <message>
        <source>FFV1, lossless.</source>
        <translation>可逆圧縮の FFV1 です。</translation>
    </message>
    <message>
        <source>Uncompressed frames, for y4m.</source>
        <translation>非圧縮のフレームです (y4m 用)。</translation>
    </message>
    <message>
        <source>H.264 by the GPU&apos;s encoder.</source>
        <translation>GPU のエンコーダーによる H.264 です。</translation>
    </message>
    <message>
        <source>H.265 by the GPU&apos;s encoder.</source>
        <translation>GPU のエンコーダーによる H.265 です。</translation>
    </message>
    <message>
        <source>Frames are dropped and no file is written: for measuring.</source>
        <translation>フレームを捨て、ファイルを書きません。測定用です。</translation>
    </message>
    <message>
        <source>Encoder option</source>
        <translation>エンコーダーのオプション</translation>
    </message>
    <message>
        <source>An option for the encoder, as FFmpeg names it; may be given several times.</source>
        <translation>エンコーダーに渡すオプションです。FFmpeg での名前で指定します。複数指定できます。</translation>
    </message>
    <message>
        <source>Encoder threads</source>
        <translation>エンコードのスレッド</translation>
    </message>
    <message>
        <source>CPU threads that encode; part of what makes the output reproducible. 0 chooses by the machine.</source>
        <translation>エンコードに使う CPU のスレッド数です。同じ出力を再現するには同じ値にします。0 ではマシンに合わせて決めます。</translation>
    </message>
    <message>
        <source>Segment frames</source>
        <translation>セグメントのフレーム数</translation>
    </message>
    <message>
        <source>Source frames in a segment: what is finished stays finished when a machine goes down.</source>
        <translation>1 セグメントに含める元のフレームの数です。マシンが落ちても、終わったセグメントは失われません。</translation>
    </message>
    <message>
        <source>frames</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>Unsupported streams</source>
        <translation>非対応のストリーム</translation>
    </message>
    <message>
        <source>They are left out, with a note in the result and the log.</source>
        <translation>除外し、結果とログに記録します。</translation>
    </message>
    <message>
        <source>The job is refused.</source>
        <translation>ジョブを拒否します。</translation>
    </message>
    <message>
        <source>Mode</source>
        <translation>モード</translation>
    </message>
    <message>
        <source>What comes out.</source>
        <translation>出力する内容です。</translation>
    </message>
    <message>
        <source>The scene and its glow together.</source>
        <translation>シーンと光のにじみを合わせたものです。</translation>
    </message>
    <message>
        <source>The plain convolution with the kernel&apos;s image as it is: not resized, not normalised, its centre at half of its sides.</source>
        <translation>カーネルの画像をそのまま使う単純な畳み込みです。拡大縮小も正規化もせず、画像の中央を中心とします。</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>プリセット</translation>
    </message>
    <message>
        <source>Defaults for the other options.</source>
        <translation>ほかのオプションの既定値を決めます。</translation>
    </message>
    <message>
        <source>A part of all light spreads, none is added: each option&apos;s own default.</source>
        <translation>すべての光の一部が広がり、光は増えません。各オプション本来の既定値です。</translation>
    </message>
    <message>
        <source>What games do: a sum of blurs of what is bright, added.</source>
        <translation>ゲームで使われる方式です。明るい部分のぼかしを重ねて加えます。</translation>
    </message>
    <message>
        <source>For kernels with a hot centre: all light goes through the kernel, whose centre says what stays.</source>
        <translation>中心が強いカーネル向けです。すべての光がカーネルを通り、その場に残る量は中心で決まります。</translation>
    </message>
    <message>
        <source>Coloured stars around lamps.</source>
        <translation>光源のまわりに色のついた光条が出ます。</translation>
    </message>
    <message>
        <source>Bluish streaks across what is bright.</source>
        <translation>明るい部分に青みがかった横の筋が入ります。</translation>
    </message>
    <message>
        <source>A veil over everything, as of a diffusion filter.</source>
        <translation>拡散フィルターのように、全体に薄いベールがかかります。</translation>
    </message>
    <message>
        <source>Wide halos, as in mist.</source>
        <translation>霧の中のような広い光の輪ができます。</translation>
    </message>
    <message>
        <source>Method</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>How the glow is made.</source>
        <translation>光のにじみの作り方です。</translation>
    </message>
    <message>
        <source>Convolution with the kernel by FFT: any shape, exact.</source>
        <translation>FFT によるカーネルの畳み込みです。どのような形でも正確です。</translation>
    </message>
    <message>
        <source>Repeated halving and doubling: a round glow of any width, cheap; the kernel&apos;s options do not count.</source>
        <translation>縮小と拡大を繰り返します。丸いにじみを任意の広さで、軽い処理で作ります。カーネルのオプションは無効です。</translation>
    </message>
    <message>
        <source>Intensity</source>
        <translation>強さ</translation>
    </message>
    <message>
        <source>Conserving light: the part of it that goes through the kernel, at most 1. Additive: what the glow is multiplied by.</source>
        <translation>保存では、光のうちカーネルを通る割合 (最大 1) です。加算では、にじみに掛ける倍率です。</translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation>散乱</translation>
    </message>
    <message>
        <source>What the kernel&apos;s light away from its centre is multiplied by; 1: the kernel&apos;s own.</source>
        <translation>カーネルの中心以外の光に掛ける倍率です。1 ではカーネルのままです。</translation>
    </message>
    <message>
        <source>Spike</source>
        <translation>スパイク</translation>
    </message>
    <message>
        <source>What the kernel&apos;s centre is multiplied by: the light that stays a sharp point; 1: the kernel&apos;s own.</source>
        <translation>カーネルの中心、つまり鋭い点のまま残る光に掛ける倍率です。1 ではカーネルのままです。</translation>
    </message>
    <message>
        <source>Energy</source>
        <translation>エネルギー</translation>
    </message>
    <message>
        <source>What becomes of the light in all.</source>
        <translation>光の総量の扱いです。</translation>
    </message>
    <message>
        <source>Light that spreads leaves its place: as much light as before, save what leaves the picture.</source>
        <translation>広がった光は元の場所から減ります。画面の外に出る分を除き、光の総量は変わりません。</translation>
    </message>
    <message>
        <source>The glow is added to the scene, which gets brighter.</source>
        <translation>にじみをシーンに加えます。全体は明るくなります。</translation>
    </message>
    <message>
        <source>Threshold</source>
        <translation>しきい値</translation>
    </message>
    <message>
        <source>Only what is brighter blooms; 0: everything. White is 1.</source>
        <translation>これより明るい部分だけがにじみます。0 ではすべてです。白は 1 です。</translation>
    </message>
    <message>
        <source>Knee</source>
        <translation>ニー</translation>
    </message>
    <message>
        <source>How soft the threshold is, as a part of it: 0 cuts, 1 begins at black.</source>
        <translation>しきい値の柔らかさを、しきい値に対する割合で指定します。0 では急に切り替わり、1 では黒から始まります。</translation>
    </message>
    <message>
        <source>Clamp</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>What is brighter blooms as if it were this.</source>
        <translation>これより明るい部分は、この明るさとしてにじみます。</translation>
    </message>
    <message>
        <source>Padding</source>
        <translation>画面の外</translation>
    </message>
    <message>
        <source>What lies outside the picture.</source>
        <translation>画面の外側の扱いです。</translation>
    </message>
    <message>
        <source>Black: light leaves the picture and none comes in.</source>
        <translation>黒とします。光は画面の外へ出ますが、外からは入りません。</translation>
    </message>
    <message>
        <source>The pixels of the edge go on.</source>
        <translation>端のピクセルが外へ続くものとします。</translation>
    </message>
    <message>
        <source>The picture is mirrored at its edges.</source>
        <translation>画像を端で折り返します。</translation>
    </message>
    <message>
        <source>Kernel</source>
        <translation>カーネル</translation>
    </message>
    <message>
        <source>An image of a kernel: what a point of light becomes.</source>
        <translation>カーネルの画像です。1 点の光がどう広がるかを表します。</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大きさ</translation>
    </message>
    <message>
        <source>The kernel&apos;s side, as a part of the picture&apos;s shorter side; 0: each pixel of the kernel&apos;s image is one of the picture.</source>
        <translation>カーネルの一辺を、画像の短辺に対する割合で指定します。0 では、カーネルの画像の 1 ピクセルが画像の 1 ピクセルになります。</translation>
    </message>
    <message>
        <source>Rotation</source>
        <translation>回転</translation>
    </message>
    <message>
        <source>Turns the kernel, counter-clockwise.</source>
        <translation>カーネルを反時計回りに回します。</translation>
    </message>
    <message>
        <source>degrees</source>
        <translation>度</translation>
    </message>
    <message>
        <source>Centre x</source>
        <translation>中心 X</translation>
    </message>
    <message>
        <source>The column of the kernel&apos;s image that is its centre, from 0; the brightest pixel&apos;s if not given.</source>
        <translation>カーネルの画像の中心となる列です (0 から)。指定しなければ最も明るいピクセルの列です。</translation>
    </message>
    <message>
        <source>pixels</source>
        <translation>ピクセル</translation>
    </message>
    <message>
        <source>Centre y</source>
        <translation>中心 Y</translation>
    </message>
    <message>
        <source>The row of the kernel&apos;s image that is its centre, from 0; the brightest pixel&apos;s if not given.</source>
        <translation>カーネルの画像の中心となる行です (0 から)。指定しなければ最も明るいピクセルの行です。</translation>
    </message>
    <message>
        <source>Radius cut</source>
        <translation>半径の切り詰め</translation>
    </message>
    <message>
        <source>Keeps this part of the kernel&apos;s radius: a smaller one is faster.</source>
        <translation>カーネルの半径のうち残す割合です。小さいほど速くなります。</translation>
    </message>
    <message>
        <source>Taper</source>
        <translation>テーパー</translation>
    </message>
    <message>
        <source>The outer part of the radius in which the kernel goes to 0; 0: none, an image stays a rectangle.</source>
        <translation>カーネルが 0 まで弱まる、半径の外側の割合です。0 では弱まらず、画像は長方形のままです。</translation>
    </message>
    <message>
        <source>Kernel colour</source>
        <translation>カーネルの色</translation>
    </message>
    <message>
        <source>What becomes of the kernel&apos;s colours.</source>
        <translation>カーネルの色の扱いです。</translation>
    </message>
    <message>
        <source>Each colour has its own shape, and all the same light: white light stays white.</source>
        <translation>形は色ごとに異なり、光の量は全色で同じです。白い光は白のままです。</translation>
    </message>
    <message>
        <source>As the kernel is: a coloured kernel colours the glow.</source>
        <translation>カーネルのままです。色のついたカーネルではにじみにも色がつきます。</translation>
    </message>
    <message>
        <source>The kernel&apos;s luminance for all colours: the fastest.</source>
        <translation>カーネルの輝度をすべての色に使います。最も高速です。</translation>
    </message>
    <message>
        <source>Glare</source>
        <translation>グレア</translation>
    </message>
    <message>
        <source>The kernel where no image of one is given.</source>
        <translation>画像を指定しないときのカーネルです。</translation>
    </message>
    <message>
        <source>Falls with a power of the distance, as the glare of lenses and eyes does; Lorentzian for 2.</source>
        <translation>距離のべき乗で弱まります。レンズや目のグレアと同じ性質で、指数 2 ではローレンツ型です。</translation>
    </message>
    <message>
        <source>A soft disc.</source>
        <translation>柔らかい円です。</translation>
    </message>
    <message>
        <source>Diffraction at a lens&apos; blades: a coloured star.</source>
        <translation>絞り羽根による回折です。色のついた光条になります。</translation>
    </message>
    <message>
        <source>A line that fades to both sides: an anamorphic lens.</source>
        <translation>両側へ消えていく線です。アナモルフィックレンズの特徴です。</translation>
    </message>
    <message>
        <source>Gaussian sigma</source>
        <translation>ガウスのシグマ</translation>
    </message>
    <message>
        <source>Standard deviation of the Gaussian, as a part of the kernel&apos;s radius.</source>
        <translation>ガウス関数の標準偏差を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Power core</source>
        <translation>べき乗のコア</translation>
    </message>
    <message>
        <source>Radius of the power law&apos;s flat core, as a part of the kernel&apos;s radius.</source>
        <translation>べき乗則の平らな中心部の半径を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Power exponent</source>
        <translation>べき指数</translation>
    </message>
    <message>
        <source>How fast the power law falls.</source>
        <translation>べき乗則で弱まる速さです。</translation>
    </message>
    <message>
        <source>Blades</source>
        <translation>絞り羽根</translation>
    </message>
    <message>
        <source>Blades of the aperture, 3 or more; 0: a circle.</source>
        <translation>絞り羽根の枚数です (3 枚以上)。0 では円形です。</translation>
    </message>
    <message>
        <source>Blade rounding</source>
        <translation>羽根の丸み</translation>
    </message>
    <message>
        <source>How round the aperture&apos;s blades are: 0 straight, 1 a circle.</source>
        <translation>絞り羽根の丸みです。0 では直線、1 では円形です。</translation>
    </message>
    <message>
        <source>Dirt</source>
        <translation>汚れ</translation>
    </message>
    <message>
        <source>An image of what lies on the aperture: black stops the light. With glare=aperture.</source>
        <translation>絞りに付いた汚れの画像です。黒い部分は光を遮ります。グレアが「絞り」のときに有効です。</translation>
    </message>
    <message>
        <source>Dark ring</source>
        <translation>暗環</translation>
    </message>
    <message>
        <source>Scale of the diffraction: a round aperture&apos;s first dark ring in green light, as a part of the kernel&apos;s radius.</source>
        <translation>回折の大きさです。円形の絞りで緑の光が作る最初の暗環を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Streak length</source>
        <translation>ストリークの長さ</translation>
    </message>
    <message>
        <source>Where the streak has faded to 1/e, as a part of the kernel&apos;s radius.</source>
        <translation>ストリークが 1/e まで弱まる位置を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Streak width</source>
        <translation>ストリークの太さ</translation>
    </message>
    <message>
        <source>Standard deviation across the streak, as a part of the kernel&apos;s radius.</source>
        <translation>ストリークの太さ方向の標準偏差を、カーネルの半径に対する割合で指定します。</translation>
    </message>
    <message>
        <source>Streak red</source>
        <translation>ストリークの赤</translation>
    </message>
    <message>
        <source>The streak&apos;s red; seen with a tinted kernel.</source>
        <translation>ストリークの赤です。カーネルの色が「色付き」のときに見えます。</translation>
    </message>
    <message>
        <source>Streak green</source>
        <translation>ストリークの緑</translation>
    </message>
    <message>
        <source>The streak&apos;s green; seen with a tinted kernel.</source>
        <translation>ストリークの緑です。カーネルの色が「色付き」のときに見えます。</translation>
    </message>
    <message>
        <source>Streak blue</source>
        <translation>ストリークの青</translation>
    </message>
    <message>
        <source>The streak&apos;s blue; seen with a tinted kernel.</source>
        <translation>ストリークの青です。カーネルの色が「色付き」のときに見えます。</translation>
    </message>
    <message>
        <source>Dual spread</source>
        <translation>デュアルの広がり</translation>
    </message>
    <message>
        <source>The dual method&apos;s shape: how much of each level is the wider ones&apos;.</source>
        <translation>デュアル方式の形です。各段階で、より広い段階が占める割合です。</translation>
    </message>
    <message>
        <source>Suppress fireflies</source>
        <translation>輝点の抑制</translation>
    </message>
    <message>
        <source>Weighs single bright pixels down, which flicker in motion; loses their light. The dual method only.</source>
        <translation>動くとちらつく孤立した明るいピクセルの重みを下げます。その光は失われます。デュアル方式だけで有効です。</translation>
    </message>
    <message>
        <source>Intermediates</source>
        <translation>中間結果</translation>
    </message>
    <message>
        <source>How exact the transforms are kept between their passes. The FFT method only.</source>
        <translation>変換の中間結果をパスの間でどの精度で保つかです。FFT 方式だけで有効です。</translation>
    </message>
    <message>
        <source>32 bits a number: what is bright leaves nothing in the dark beside it.</source>
        <translation>1 つの数に 32 ビットを使います。明るいものが隣の暗部に跡を残しません。</translation>
    </message>
    <message>
        <source>16 bits a number: less memory and less of its traffic, and faint grain, seen in dark rows beside suns. For previews.</source>
        <translation>1 つの数に 16 ビットを使います。メモリとその転送量が減りますが、かすかな粒状ノイズが出て、太陽と同じ行の暗部で見えます。プレビュー向けです。</translation>
    </message>
    <message>
        <source>Output depth</source>
        <translation>出力の深度</translation>
    </message>
    <message>
        <source>How exact the samples of an OpenEXR output are, or of a TIFF that is to hold floats; if not given as the input&apos;s, OpenEXR from Radiance and 16 bits float, from 8 bits half.</source>
        <translation>OpenEXR 出力、または浮動小数点で保存する TIFF 出力のサンプルの精度です。指定しなければ入力と同じで、OpenEXR では Radiance と 16 ビットからは float、8 ビットからは half です。</translation>
    </message>
    <message>
        <source>16 bits a sample.</source>
        <translation>1 サンプル 16 ビットです。</translation>
    </message>
    <message>
        <source>32 bits a sample.</source>
        <translation>1 サンプル 32 ビットです。</translation>
    </message>
    <message>
        <source>Frames of a sequence: 1-100, or 1-100x2 for every other one; all if not given.</source>
        <translation>連番のうち処理するフレームです。1-100 のように、1 つおきなら 1-100x2 のように指定します。指定しなければすべてです。</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>欠けたフレーム</translation>
    </message>
    <message>
        <source>What becomes of a sequence with missing frames.</source>
        <translation>フレームが欠けている連番の扱いです。</translation>
    </message>
    <message>
        <source>The job is refused, with their numbers.</source>
        <translation>欠けた番号を示してジョブを拒否します。</translation>
    </message>
    <message>
        <source>What is there is done.</source>
        <translation>あるものだけを処理します。</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>プレビュー</translation>
    </message>
    <message>
        <source>A PNG to write beside images: the first frame before and after, beside each other.</source>
        <translation>画像とともに書き出す PNG です。最初のフレームの処理前と処理後を並べます。</translation>
    </message>
    <message>
        <source>Preview exposure</source>
        <translation>プレビューの露出</translation>
    </message>
    <message>
        <source>Makes the preview lighter or darker.</source>
        <translation>プレビューを明るく、または暗くします。</translation>
    </message>
    <message>
        <source>stops</source>
        <translation>段</translation>
    </message>
    <message>
        <source>Layer</source>
        <translation>レイヤー</translation>
    </message>
    <message>
        <source>Which colours of an OpenEXR file: the layer&apos;s or part&apos;s name, or PART.LAYER; the unnamed ones if not given.</source>
        <translation>OpenEXR ファイルで処理する色です。レイヤーかパートの名前、または PART.LAYER の形で指定します。指定しなければ名前のない色です。</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>クラス</translation>
    </message>
    <message>
        <source>As fast as is fair.</source>
        <translation>公平な範囲でできるだけ速く実行します。</translation>
    </message>
    <message>
        <source>Only in time that is left over.</source>
        <translation>余った時間にだけ実行します。</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>優先度</translation>
    </message>
    <message>
        <source>Order in the queue: higher first; owners take turns among equal ones. -100 to 100; operators may set -1000 to 1000.</source>
        <translation>キュー内の順序: 高いものから実行し、同じ値なら所有者が交代します。-100 ～ 100、運用者は -1000 ～ 1000 を設定できます。</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Run on this device only: cpu, cuda:0, vulkan:0 ...; any if not given.</source>
        <translation>このデバイスだけで実行します (cpu、cuda:0、vulkan:0 など)。指定しなければどのデバイスでも実行します。</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>ラベル</translation>
    </message>
    <message>
        <source>A label to find the job by; may be given several times.</source>
        <translation>ジョブを探すためのラベルです。複数指定できます。</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Whose job it is; the caller&apos;s user name if not given.</source>
        <translation>ジョブの所有者です。指定しなければ投入した人のユーザー名です。</translation>
    </message>
    <message>
        <source>Max attempts</source>
        <translation>最大試行回数</translation>
    </message>
    <message>
        <source>How often the job is tried before it fails, when what went wrong may go right the next time.</source>
        <translation>次は成功する可能性がある失敗のとき、ジョブを失敗とするまでに試す回数です。</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>重み</translation>
    </message>
    <message>
        <source>The job&apos;s part of its owner&apos;s time on a device, against the owner&apos;s other jobs of the same class and priority.</source>
        <translation>所有者がデバイスで得る時間のうち、このジョブの取り分です。同じ所有者、クラス、優先度のほかのジョブに対する比です。</translation>
    </message>
    <message>
        <source>Overwrite</source>
        <translation>上書き</translation>
    </message>
    <message>
        <source>Replace the output if it is there already.</source>
        <translation>出力が既にあれば置き換えます。</translation>
    </message>
    <message>
        <source>Takes a video through a chain of filters.</source>
        <translation>動画をフィルターの連なりに通します。</translation>
    </message>
    <message>
        <source>The video file.</source>
        <translation>動画ファイルです。</translation>
    </message>
    <message>
        <source>Filters</source>
        <translation>フィルター</translation>
    </message>
    <message>
        <source>The filters in order, in FFmpeg&apos;s syntax: bwdif,resize=1280x720:kernel=spline36,deband.</source>
        <translation>FFmpeg の書式で、適用する順に並べたフィルターです (例: bwdif,resize=1280x720:kernel=spline36,deband)。</translation>
    </message>
    <message>
        <source>From</source>
        <translation>開始位置</translation>
    </message>
    <message>
        <source>To</source>
        <translation>終了位置</translation>
    </message>
    <message>
        <source>Spatial check</source>
        <translation>空間チェック</translation>
    </message>
    <message>
        <source>Lets bright light glow.</source>
        <translation>明るい光をにじませます。</translation>
    </message>
    <message>
        <source>Makes pictures larger or smaller.</source>
        <translation>画像を拡大または縮小します。</translation>
    </message>
    <message>
        <source>The new size; a side of -1 keeps the aspect ratio, one of -2 keeps it and stays even.</source>
        <translation>新しい大きさです。片方の辺を -1 にすると縦横比を保つ値になり、-2 にするとさらに偶数にそろえます。</translation>
    </message>
    <message>
        <source>How a sample is made of those around it.</source>
        <translation>周囲のサンプルから新しいサンプルを求める方法です。</translation>
    </message>
    <message>
        <source>The nearest sample.</source>
        <translation>最も近いサンプルを使います。</translation>
    </message>
    <message>
        <source>A triangle: soft.</source>
        <translation>三角形のカーネルです。柔らかく仕上がります。</translation>
    </message>
    <message>
        <source>Mitchell and Netravali&apos;s cubic with b and c.</source>
        <translation>係数 B と C による Mitchell-Netravali の 3 次関数です。</translation>
    </message>
    <message>
        <source>Lanczos, two lobes.</source>
        <translation>ローブが 2 つの Lanczos です。</translation>
    </message>
    <message>
        <source>Lanczos, three lobes: sharp.</source>
        <translation>ローブが 3 つの Lanczos です。シャープに仕上がります。</translation>
    </message>
    <message>
        <source>Lanczos, four lobes: the sharpest, with rings.</source>
        <translation>ローブが 4 つの Lanczos です。最もシャープですが、リンギングが出ます。</translation>
    </message>
    <message>
        <source>A cubic spline over four samples.</source>
        <translation>4 サンプルにわたる 3 次スプラインです。</translation>
    </message>
    <message>
        <source>A cubic spline over six samples.</source>
        <translation>6 サンプルにわたる 3 次スプラインです。</translation>
    </message>
    <message>
        <source>A cubic spline over eight samples.</source>
        <translation>8 サンプルにわたる 3 次スプラインです。</translation>
    </message>
    <message>
        <source>A sinc in a Blackman window of &apos;taps&apos; samples to each side: fewer rings than Lanczos.</source>
        <translation>片側が「タップ数」サンプルのブラックマン窓をかけた sinc です。Lanczos よりリンギングが少なくなります。</translation>
    </message>
    <message>
        <source>A Gaussian that &apos;sharpness&apos; narrows.</source>
        <translation>ガウス関数です。「シャープネス」を上げるほど幅が狭くなります。</translation>
    </message>
    <message>
        <source>A sinc cut off after &apos;taps&apos; samples to each side.</source>
        <translation>片側「タップ数」サンプルで打ち切った sinc です。</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>How soft bicubic is.</source>
        <translation>バイキュービックの柔らかさです。</translation>
    </message>
    <message>
        <source>C</source>
        <translation>C</translation>
    </message>
    <message>
        <source>How much bicubic rings.</source>
        <translation>バイキュービックのリンギングの強さです。</translation>
    </message>
    <message>
        <source>Taps</source>
        <translation>タップ数</translation>
    </message>
    <message>
        <source>Samples to each side that blackman and sinc take.</source>
        <translation>blackman と sinc で使う片側のサンプル数です。</translation>
    </message>
    <message>
        <source>Sharpness</source>
        <translation>シャープネス</translation>
    </message>
    <message>
        <source>How narrow the Gaussian is: a sample x source samples away (where a side gets shorter, x of the result&apos;s) weighs 2^(-sharpness / 10 * x^2); larger is sharper but jagged, smaller is softer.</source>
        <translation>ガウス関数の幅の狭さです。元の画像で x サンプル離れたサンプル (縮小する方向では、x は結果のサンプル数) の重みは 2^(-sharpness / 10 * x^2) です。大きいほどシャープですがジャギーが目立ち、小さいほど柔らかくなります。</translation>
    </message>
    <message>
        <source>Chroma position</source>
        <translation>クロマの位置</translation>
    </message>
    <message>
        <source>Where chroma samples lie between those of luma.</source>
        <translation>輝度サンプルに対するクロマサンプルの位置です。</translation>
    </message>
    <message>
        <source>As the stream says; left where it does not say.</source>
        <translation>ストリームの指定に従います。指定がなければ左です。</translation>
    </message>
    <message>
        <source>At the left luma sample, between two rows: MPEG-2, H.264.</source>
        <translation>左の輝度サンプルの列で、2 つの行の中間です (MPEG-2、H.264)。</translation>
    </message>
    <message>
        <source>Between the luma samples: MPEG-1, JPEG.</source>
        <translation>輝度サンプルの中間です (MPEG-1、JPEG)。</translation>
    </message>
    <message>
        <source>At the upper left luma sample: UHD, HDR.</source>
        <translation>左上の輝度サンプルと同じ位置です (UHD、HDR)。</translation>
    </message>
    <message>
        <source>At the upper row, between two columns.</source>
        <translation>上の行で、2 つの列の中間です。</translation>
    </message>
    <message>
        <source>At the lower left luma sample.</source>
        <translation>左下の輝度サンプルと同じ位置です。</translation>
    </message>
    <message>
        <source>At the lower row, between two columns.</source>
        <translation>下の行で、2 つの列の中間です。</translation>
    </message>
    <message>
        <source>Keeps a part of pictures.</source>
        <translation>画像の一部を切り出します。</translation>
    </message>
    <message>
        <source>The size of what stays.</source>
        <translation>残す部分の大きさです。</translation>
    </message>
    <message>
        <source>X</source>
        <translation>X</translation>
    </message>
    <message>
        <source>The first column that stays; the middle stays if not given.</source>
        <translation>残す部分の最初の列です。指定しなければ中央を残します。</translation>
    </message>
    <message>
        <source>Y</source>
        <translation>Y</translation>
    </message>
    <message>
        <source>The first row that stays; the middle stays if not given.</source>
        <translation>残す部分の最初の行です。指定しなければ中央を残します。</translation>
    </message>
    <message>
        <source>Puts pictures on a larger one of one colour.</source>
        <translation>単色の余白を加えて画像を大きくします。</translation>
    </message>
    <message>
        <source>The new size.</source>
        <translation>新しい大きさです。</translation>
    </message>
    <message>
        <source>The column of the picture&apos;s left edge; it is in the middle if not given.</source>
        <translation>画像の左端を置く列です。指定しなければ中央に置きます。</translation>
    </message>
    <message>
        <source>The row of the picture&apos;s upper edge; it is in the middle if not given.</source>
        <translation>画像の上端を置く行です。指定しなければ中央に置きます。</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>色</translation>
    </message>
    <message>
        <source>What lies around the picture: black, gray, white, or six hexadecimal digits of red, green and blue.</source>
        <translation>画像の周囲の色です。black、gray、white、または赤、緑、青を表す 6 桁の 16 進数で指定します。</translation>
    </message>
    <message>
        <source>Turns and mirrors pictures.</source>
        <translation>画像を回転または反転します。</translation>
    </message>
    <message>
        <source>Turn</source>
        <translation>向き</translation>
    </message>
    <message>
        <source>Which way.</source>
        <translation>回転または反転の向きです。</translation>
    </message>
    <message>
        <source>A quarter turn to the right.</source>
        <translation>右へ 90 度回転します。</translation>
    </message>
    <message>
        <source>A quarter turn to the left.</source>
        <translation>左へ 90 度回転します。</translation>
    </message>
    <message>
        <source>Upside down.</source>
        <translation>180 度回転します。</translation>
    </message>
    <message>
        <source>A quarter turn to the right, then mirrored top to bottom.</source>
        <translation>右へ 90 度回転してから上下を反転します。</translation>
    </message>
    <message>
        <source>A quarter turn to the left, then mirrored top to bottom: rows become columns.</source>
        <translation>左へ 90 度回転してから上下を反転します。行が列になります。</translation>
    </message>
    <message>
        <source>Mirrored left to right.</source>
        <translation>左右を反転します。</translation>
    </message>
    <message>
        <source>Mirrored top to bottom.</source>
        <translation>上下を反転します。</translation>
    </message>
    <message>
        <source>Changes the bits of samples, the chroma samples, the matrix or the range.</source>
        <translation>サンプルのビット数、クロマのサンプル数、マトリクス、レンジを変換します。</translation>
    </message>
    <message>
        <source>Bits</source>
        <translation>ビット数</translation>
    </message>
    <message>
        <source>Bits of a sample; as they are if not given.</source>
        <translation>1 サンプルのビット数です。指定しなければ元のままです。</translation>
    </message>
    <message>
        <source>bits</source>
        <translation>ビット</translation>
    </message>
    <message>
        <source>Chroma</source>
        <translation>クロマ</translation>
    </message>
    <message>
        <source>How many chroma samples there are; as it is if not given.</source>
        <translation>クロマのサンプル数です。指定しなければ元のままです。</translation>
    </message>
    <message>
        <source>None.</source>
        <translation>クロマはありません。</translation>
    </message>
    <message>
        <source>Half the columns, half the rows.</source>
        <translation>列も行も輝度の半分です。</translation>
    </message>
    <message>
        <source>Half the columns.</source>
        <translation>列だけが輝度の半分です。</translation>
    </message>
    <message>
        <source>As many as luma has.</source>
        <translation>輝度と同数です。</translation>
    </message>
    <message>
        <source>Matrix</source>
        <translation>マトリクス</translation>
    </message>
    <message>
        <source>What luma and chroma are made of; as it is if not given.</source>
        <translation>輝度とクロマを RGB から求める係数です。指定しなければ元のままです。</translation>
    </message>
    <message>
        <source>Standard definition.</source>
        <translation>標準解像度 (SD) 用です。</translation>
    </message>
    <message>
        <source>High definition.</source>
        <translation>高解像度 (HD) 用です。</translation>
    </message>
    <message>
        <source>Ultra high definition.</source>
        <translation>超高解像度 (UHD) 用です。</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>レンジ</translation>
    </message>
    <message>
        <source>Which codes are black and white; as it is if not given.</source>
        <translation>黒と白を表すコード値です。指定しなければ元のままです。</translation>
    </message>
    <message>
        <source>16 to 235 of 8 bits, chroma 16 to 240.</source>
        <translation>8 ビットで 16 ～ 235、クロマは 16 ～ 240 です。</translation>
    </message>
    <message>
        <source>0 to 255 of 8 bits.</source>
        <translation>8 ビットで 0 ～ 255 です。</translation>
    </message>
    <message>
        <source>Dither</source>
        <translation>ディザ</translation>
    </message>
    <message>
        <source>How bits are dropped.</source>
        <translation>ビット数を減らす方法です。</translation>
    </message>
    <message>
        <source>Each sample is rounded.</source>
        <translation>サンプルごとに丸めます。</translation>
    </message>
    <message>
        <source>A pattern of 16 by 16 samples decides what is rounded up: no bands.</source>
        <translation>16×16 サンプルのパターンで、切り上げるサンプルを決めます。バンディングが出ません。</translation>
    </message>
    <message>
        <source>Smooths steps in flat areas.</source>
        <translation>平坦な部分の階調の段差を滑らかにします。</translation>
    </message>
    <message>
        <source>How far samples are compared with others, at most.</source>
        <translation>比較する相手のサンプルまでの最大距離です。</translation>
    </message>
    <message>
        <source>The largest difference that is a step, as of 8 bits.</source>
        <translation>段差とみなす差の最大値を 8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>サンプル数</translation>
    </message>
    <message>
        <source>With how many others a sample is compared.</source>
        <translation>比較する相手のサンプルの数です。</translation>
    </message>
    <message>
        <source>One sample at a random place.</source>
        <translation>ランダムな位置の 1 サンプルです。</translation>
    </message>
    <message>
        <source>That and the opposite one.</source>
        <translation>ランダムな位置の 1 サンプルと、その反対側の 1 サンプルです。</translation>
    </message>
    <message>
        <source>Those and two a quarter turn on: the smoothest.</source>
        <translation>その 2 サンプルと、それらを 90 度回した位置の 2 サンプルです。最も滑らかになります。</translation>
    </message>
    <message>
        <source>Blur first</source>
        <translation>ぼかしを先に行う</translation>
    </message>
    <message>
        <source>Compares with the mean of the others rather than with each.</source>
        <translation>相手のサンプルのそれぞれではなく、その平均と比較します。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>シード</translation>
    </message>
    <message>
        <source>Chooses the random places, the same in every picture.</source>
        <translation>ランダムな位置を決める値です。位置はどの画像でも同じです。</translation>
    </message>
    <message>
        <source>Sharpens edges between what is around them.</source>
        <translation>周囲の値の範囲を超えずにエッジをシャープにします。</translation>
    </message>
    <message>
        <source>Strength</source>
        <translation>強さ</translation>
    </message>
    <message>
        <source>How much, in sixteenths.</source>
        <translation>シャープにする度合いを 16 分の 1 単位で指定します。</translation>
    </message>
    <message>
        <source>The smallest step that is an edge, as of 8 bits.</source>
        <translation>エッジとみなす段差の最小値を 8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修復</translation>
    </message>
    <message>
        <source>Passes that take back what goes beyond the neighbours; 0: none.</source>
        <translation>隣接するサンプルの範囲を超えた分を戻すパスの回数です。0 では行いません。</translation>
    </message>
    <message>
        <source>Chroma strength</source>
        <translation>クロマの強さ</translation>
    </message>
    <message>
        <source>The same for chroma where luma has an edge, in sixteenths; of 4:4:4 alone.</source>
        <translation>輝度にエッジがある部分でクロマをシャープにする度合いを 16 分の 1 単位で指定します。4:4:4 だけで有効です。</translation>
    </message>
    <message>
        <source>Takes out noise: the mean of what hardly changes over time.</source>
        <translation>時間的な変化がわずかな値を平均し、ノイズを取り除きます。</translation>
    </message>
    <message>
        <source>Distance</source>
        <translation>距離</translation>
    </message>
    <message>
        <source>Pictures before and after that are looked at.</source>
        <translation>前後それぞれで参照する画像の数です。</translation>
    </message>
    <message>
        <source>The largest change that is noise, as of 8 bits.</source>
        <translation>ノイズとみなす変化の最大値を 8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Mixes what two chains make of the same pictures, by a mask.</source>
        <translation>同じ画像を 2 つのフィルターの連なりで処理し、結果をマスクで合成します。</translation>
    </message>
    <message>
        <source>Mask</source>
        <translation>マスク</translation>
    </message>
    <message>
        <source>What the mask shows in the pictures that chain &apos;a&apos; gives: where it is empty these are taken, where it is full those of chain &apos;b&apos;, and in between a mix of both.</source>
        <translation>フィルターの連なり A の結果から、何をマスクにするかです。マスクが 0 の部分では A の画像、最大の部分では連なり B の画像になり、その間では両方を混ぜます。</translation>
    </message>
    <message>
        <source>Edges: what Sobel&apos;s operator finds.</source>
        <translation>Sobel オペレーターで検出したエッジです。</translation>
    </message>
    <message>
        <source>What is bright.</source>
        <translation>明るい部分です。</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>The chain that is taken where the mask is empty; the pictures as they are if not given.</source>
        <translation>マスクが 0 の部分で使うフィルターの連なりです。指定しなければ画像をそのまま使います。</translation>
    </message>
    <message>
        <source>The chain that is taken where the mask is full; the pictures as they are if not given.</source>
        <translation>マスクが最大の部分で使うフィルターの連なりです。指定しなければ画像をそのまま使います。</translation>
    </message>
    <message>
        <source>Low</source>
        <translation>下限</translation>
    </message>
    <message>
        <source>Up to here the mask is empty, as of 8 bits.</source>
        <translation>この値以下ではマスクが 0 になります。8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>High</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>From here on the mask is full, as of 8 bits.</source>
        <translation>この値以上ではマスクが最大になります。8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Drops the picture of each cycle that is most like the one before it: 24 a second from 30.</source>
        <translation>周期ごとに、直前の画像に最も似た 1 枚を間引きます。毎秒 30 枚は 24 枚になります。</translation>
    </message>
    <message>
        <source>Cycle</source>
        <translation>周期</translation>
    </message>
    <message>
        <source>Of so many pictures one is dropped.</source>
        <translation>この枚数につき 1 枚を間引きます。</translation>
    </message>
    <message>
        <source>Takes an image, or a sequence of images, through a chain of filters.</source>
        <translation>画像または連番画像をフィルターの連なりに通します。</translation>
    </message>
    <message>
        <source>An image, or a sequence of them (frame.%04d.exr, &apos;frame.####.exr&apos;, &apos;frame.*.exr&apos;); \# and \* are letters of a name.</source>
        <translation>画像または連番画像です (frame.%04d.exr、&apos;frame.####.exr&apos;、&apos;frame.*.exr&apos;)。\# と \* は名前の文字そのものです。</translation>
    </message>
    <message>
        <source>The file to write, or the sequence; its extension chooses the format.</source>
        <translation>書き出すファイルまたは連番です。形式は拡張子で決まります。</translation>
    </message>
    <message>
        <source>The filters in order, in FFmpeg&apos;s syntax: crop=1024x1024,bloom=starburst.</source>
        <translation>FFmpeg の書式で、適用する順に並べたフィルターです (例: crop=1024x1024,bloom=starburst)。</translation>
    </message>
    <message>
        <source>Where the part to process begins: seconds, [HH:]MM:SS, or a frame number from 0 followed by f; the beginning if not given. The output begins at time 0 with the first frame at or after it; audio and subtitles are cut at the same time.</source>
        <translation>処理する部分の始まりです。秒数、[HH:]MM:SS、または 0 から数えたフレーム番号に f を付けて指定します。指定しなければ先頭からです。出力は、その位置以降の最初のフレームを時刻 0 として始まり、音声と字幕も同じように切り取られます。</translation>
    </message>
    <message>
        <source>Where that part ends: the first position after it; the end if not given.</source>
        <translation>処理する部分の終わりです (その位置は含みません)。指定しなければ末尾までです。</translation>
    </message>
    <message>
        <source>On size change</source>
        <translation>大きさが変わるとき</translation>
    </message>
    <message>
        <source>What happens where the size of the input&apos;s pictures changes.</source>
        <translation>入力の途中で画像の大きさが変わるときの動作です。</translation>
    </message>
    <message>
        <source>The job is refused if the file&apos;s headers tell it, else it fails and says at which frame.</source>
        <translation>ファイルのヘッダーから分かればジョブを受け付けません。そうでなければジョブは失敗し、変わったフレームを示します。</translation>
    </message>
    <message>
        <source>Later pictures are scaled to the size of the first, with a note; the CPU decodes.</source>
        <translation>以降の画像を最初の画像の大きさに拡大または縮小し、注記を残します。デコードは CPU が行います。</translation>
    </message>
    <message>
        <source>A further file begins there, with a number before its extension (out.mkv, out.2.mkv); the CPU decodes.</source>
        <translation>そこから別のファイルに続けます。拡張子の前に番号が付きます（out.mkv、out.2.mkv）。デコードは CPU が行います。</translation>
    </message>
    <message>
        <source>Programme</source>
        <translation>番組</translation>
    </message>
    <message>
        <source>Number of the program of a transport stream to take video and audio from; 0 takes the one with the largest video.</source>
        <translation>複数の番組を含む入力で、映像と音声を取り出す番組の番号です。0 では画面の最も大きい番組を使います。</translation>
    </message>
    <message>
        <source>On short input</source>
        <translation>入力が短いとき</translation>
    </message>
    <message>
        <source>What becomes of a job whose input ends before its container says, or with half a frame.</source>
        <translation>入力がコンテナーの示す長さより前で終わるか、途中で切れたフレームで終わるときの、ジョブの扱いです。</translation>
    </message>
    <message>
        <source>What is there is worked on, with a note in the result and the log.</source>
        <translation>ある部分だけを処理し、結果とログに記録します。</translation>
    </message>
    <message>
        <source>The job fails.</source>
        <translation>ジョブを失敗とします。</translation>
    </message>
    <message>
        <source>Handling of streams that are not carried: those that the output&apos;s container cannot hold, and further video streams. Audio that begins with the file and that the container cannot hold refuses the job.</source>
        <translation>出力に入らないストリーム (コンテナーに入れられないものや、2 本目以降の映像) の扱いです。ファイルの先頭から始まる音声をコンテナーに入れられないジョブは拒否されます。</translation>
    </message>
    <message>
        <source>Audio</source>
        <translation>音声</translation>
    </message>
    <message>
        <source>Handling of the input&apos;s audio. AAC and FLAC apply to audio that the output&apos;s container cannot hold.</source>
        <translation>入力の音声の扱いです。AAC と FLAC は、出力のコンテナーに入れられない音声のために使います。</translation>
    </message>
    <message>
        <source>It is copied as it is.</source>
        <translation>そのままコピーします。</translation>
    </message>
    <message>
        <source>It is encoded anew as AAC.</source>
        <translation>AAC でエンコードし直します。</translation>
    </message>
    <message>
        <source>It is encoded anew as FLAC, without loss where its samples are whole numbers of up to 24 bits.</source>
        <translation>FLAC でエンコードし直します。サンプルが 24 ビット以下の整数なら劣化しません。</translation>
    </message>
    <message>
        <source>It is left out.</source>
        <translation>除外します。</translation>
    </message>
    <message>
        <source>Subtitles</source>
        <translation>字幕</translation>
    </message>
    <message>
        <source>What becomes of the input&apos;s subtitles.</source>
        <translation>入力の字幕の扱いです。</translation>
    </message>
    <message>
        <source>They are copied as they are.</source>
        <translation>そのままコピーします。</translation>
    </message>
    <message>
        <source>They are left out.</source>
        <translation>除外します。</translation>
    </message>
    <message>
        <source>Audio stream</source>
        <translation>音声ストリーム</translation>
    </message>
    <message>
        <source>Handling of one audio stream, by its number in the input, in place of --audio: 2=aac; may be given several times.</source>
        <translation>音声ストリーム 1 本の扱い。入力での番号で指定し、--audio に代わります（例：2=aac）。複数回指定できます。</translation>
    </message>
    <message>
        <source>Jpeg quality</source>
        <translation>JPEG 品質</translation>
    </message>
    <message>
        <source>Of a JPEG output, as libjpeg counts; chroma is stored in every pixel.</source>
        <translation>JPEG 出力の品質（libjpeg の数え方）。色差はすべての画素に保存されます。</translation>
    </message>
    <message>
        <source>Takes out grain along what moves: blocks are averaged with where they lie in the pictures around.</source>
        <translation>動きに沿って粒状ノイズを取り除きます。ブロックを、前後の画像での位置にあるものと平均します。</translation>
    </message>
    <message>
        <source>Radius</source>
        <translation>半径</translation>
    </message>
    <message>
        <source>Pictures before and after that count.</source>
        <translation>考慮する前後の画像の数。</translation>
    </message>
    <message>
        <source>How badly a block may fit and still count: the sum of differences of 8x8 pixels, as of 8 bits.</source>
        <translation>どの程度まで一致しないブロックを考慮するか。8x8 画素の差の合計（8 ビット換算）。</translation>
    </message>
    <message>
        <source>Chroma threshold</source>
        <translation>色差のしきい値</translation>
    </message>
    <message>
        <source>The same for what becomes of chroma.</source>
        <translation>色差についての同じ値。</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>ブロック</translation>
    </message>
    <message>
        <source>Pixels of a block&apos;s side: 8, 16 or 32.</source>
        <translation>ブロックの一辺の画素数：8、16、32 のいずれか。</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>重なり</translation>
    </message>
    <message>
        <source>Pixels that a block shares with the next one: an even number, at most half a block. Half a block if not given.</source>
        <translation>隣のブロックと共有する画素数。偶数で、ブロックの半分まで。指定がなければブロックの半分。</translation>
    </message>
    <message>
        <source>Pel</source>
        <translation>ペル</translation>
    </message>
    <message>
        <source>Steps of a vector in a pixel: 1, 2 or 4.</source>
        <translation>1 画素内のベクトルの刻み：1、2、4 のいずれか。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>探索</translation>
    </message>
    <message>
        <source>How places around the best one are tried.</source>
        <translation>最良の位置の周囲をどう試すか。</translation>
    </message>
    <message>
        <source>The eight neighbours, again while something better is found.</source>
        <translation>周囲の 8 か所。より良いものが見つかる限り繰り返します。</translation>
    </message>
    <message>
        <source>Hexagons two steps wide while something better is found, then the eight neighbours.</source>
        <translation>より良いものが見つかる限り 2 刻みの六角形、最後に周囲の 8 か所。</translation>
    </message>
    <message>
        <source>A cross and large hexagons first (UMH): slower, for what moves irregularly.</source>
        <translation>まず十字と大きな六角形（UMH）。遅いものの、不規則な動きに向きます。</translation>
    </message>
    <message>
        <source>Every place within the range: the slowest.</source>
        <translation>範囲内のすべての位置。最も遅い方法です。</translation>
    </message>
    <message>
        <source>How often that is done again, and how far the search all over goes.</source>
        <translation>繰り返しの回数、および全探索の範囲。</translation>
    </message>
    <message>
        <source>Lets chroma count in the search, too.</source>
        <translation>探索で色差も考慮します。</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>The most that a sample of luma changes by, as of 8 bits; 255: no limit.</source>
        <translation>輝度のサンプルの変化の上限（8 ビット換算）。255：上限なし。</translation>
    </message>
    <message>
        <source>Chroma limit</source>
        <translation>色差の上限</translation>
    </message>
    <message>
        <source>The same for chroma.</source>
        <translation>色差についての同じ値。</translation>
    </message>
    <message>
        <source>Cut threshold</source>
        <translation>カットのしきい値</translation>
    </message>
    <message>
        <source>A block that fits worse does not fit, as the threshold counts.</source>
        <translation>これより一致しないブロックは一致しないとみなします（しきい値と同じ数え方）。</translation>
    </message>
    <message>
        <source>Cut blocks</source>
        <translation>カットのブロック</translation>
    </message>
    <message>
        <source>The share of blocks that do not fit behind which there was a cut.</source>
        <translation>一致しないブロックがこの割合を超えると、カットとみなします。</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>Binomial</source>
        <translation>二項</translation>
    </message>
    <message>
        <source>Nearer pictures count more, as binomial coefficients do.</source>
        <translation>近い画像ほど、二項係数のとおり重く数えます。</translation>
    </message>
    <message>
        <source>Interlaced</source>
        <translation>インターレース</translation>
    </message>
    <message>
        <source>Whether frames hold two fields, of different times.</source>
        <translation>フレームが、時刻の異なる二つのフィールドからなるかどうかです。</translation>
    </message>
    <message>
        <source>As the input says of itself.</source>
        <translation>入力の情報に従います。</translation>
    </message>
    <message>
        <source>They do: each field is compared with fields of the same lines.</source>
        <translation>なります。各フィールドは、同じ走査線のフィールドと比べられます。</translation>
    </message>
    <message>
        <source>Makes the missing lines of each field by a neural network that knows edges, as NNEDI3 does.</source>
        <translation>NNEDI3 のように、エッジを知るニューラルネットワークで各フィールドの欠けたラインを作ります。</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>ネットワーク</translation>
    </message>
    <message>
        <source>Which of the program&apos;s own networks works.</source>
        <translation>プログラム自身のどのネットワークを使うかです。</translation>
    </message>
    <message>
        <source>2,896 multiply-adds a sample: a CPU keeps up with standard definition.</source>
        <translation>1 サンプルあたり積和 2,896 回です。標準解像度なら CPU でも間に合います。</translation>
    </message>
    <message>
        <source>56,480 multiply-adds a sample, for GPUs: the best picture.</source>
        <translation>1 サンプルあたり積和 56,480 回で、GPU 向けです。最も良い画になります。</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>重み</translation>
    </message>
    <message>
        <source>A file nnedi3_weights.bin of the user&apos;s, whose networks work in place of the program&apos;s own.</source>
        <translation>ユーザー自身のファイル nnedi3_weights.bin です。そのネットワークがプログラム自身のものに代わって働きます。</translation>
    </message>
    <message>
        <source>Nsize</source>
        <translation>Nsize</translation>
    </message>
    <message>
        <source>With weights=FILE: the window of a neuron; 0: 8x6 samples, 1: 16x6, 2: 32x6, 3: 48x6, 4: 8x4, 5: 16x4, 6: 32x4. 6 if not given.</source>
        <translation>weights=FILE 用。ニューロンの窓です。0: 8x6 サンプル、1: 16x6、2: 32x6、3: 48x6、4: 8x4、5: 16x4、6: 32x4。指定がなければ 6 です。</translation>
    </message>
    <message>
        <source>Nns</source>
        <translation>Nns</translation>
    </message>
    <message>
        <source>With weights=FILE: the neurons; 0: 16, 1: 32, 2: 64, 3: 128, 4: 256. 1 if not given.</source>
        <translation>weights=FILE 用。ニューロンの数です。0: 16、1: 32、2: 64、3: 128、4: 256。指定がなければ 1 です。</translation>
    </message>
    <message>
        <source>Qual</source>
        <translation>Qual</translation>
    </message>
    <message>
        <source>With weights=FILE: the networks whose mean is taken. 1 if not given.</source>
        <translation>weights=FILE 用。平均をとるネットワークの数です。指定がなければ 1 です。</translation>
    </message>
    <message>
        <source>Etype</source>
        <translation>Etype</translation>
    </message>
    <message>
        <source>With weights=FILE: the error that training made small; 0: absolute, 1: squared. 0 if not given.</source>
        <translation>weights=FILE 用。学習で小さくした誤差です。0: 絶対誤差、1: 二乗誤差。指定がなければ 0 です。</translation>
    </message>
    <message>
        <source>Pscrn</source>
        <translation>Pscrn</translation>
    </message>
    <message>
        <source>With weights=FILE: the prescreener, which leaves easy samples to a cubic; 0: none, 1: the old one, 2 to 4: the new ones, level 0 to 2. 2 if not given.</source>
        <translation>weights=FILE 用。易しいサンプルを 3 次補間に任せる予備選別です。0: なし、1: 旧方式、2 から 4: 新方式のレベル 0 から 2。指定がなければ 2 です。</translation>
    </message>
    <message>
        <source>Doubles the size by the neural network of nnedi: edges stay sharp, and without stairs.</source>
        <translation>nnedi のニューラルネットワークで大きさを 2 倍にします。エッジは鋭いままで、階段状になりません。</translation>
    </message>
    <message>
        <source>They do not.</source>
        <translation>なりません。</translation>
    </message>
    <message>
        <source>Deinterlaces along what moves, and keeps still what stands still; QTGMC&apos;s algorithm. What is not given follows from the preset.</source>
        <translation>動きに沿ってインターレースを解除し、静止した部分は静止したまま保ちます。QTGMC のアルゴリズムです。指定しない項目はプリセットに従います。</translation>
    </message>
    <message>
        <source>How much work is put in.</source>
        <translation>処理にかける手間です。</translation>
    </message>
    <message>
        <source>The slowest.</source>
        <translation>最も低速です。</translation>
    </message>
    <message>
        <source>Nearly the slowest.</source>
        <translation>最も低速に近い設定です。</translation>
    </message>
    <message>
        <source>The usual choice.</source>
        <translation>通常の選択です。</translation>
    </message>
    <message>
        <source>Less smoothing in time.</source>
        <translation>時間方向の平滑化を減らします。</translation>
    </message>
    <message>
        <source>Vectors of whole pixels.</source>
        <translation>ベクトルは画素単位です。</translation>
    </message>
    <message>
        <source>No last smoothing in time.</source>
        <translation>時間方向の最後の平滑化を行いません。</translation>
    </message>
    <message>
        <source>Blocks of 32 pixels; good for 1080 lines.</source>
        <translation>ブロックは 32 画素です。1080 ラインの映像に向きます。</translation>
    </message>
    <message>
        <source>Blocks that share less.</source>
        <translation>ブロックの重なりを減らします。</translation>
    </message>
    <message>
        <source>A simple search.</source>
        <translation>単純な探索です。</translation>
    </message>
    <message>
        <source>Missing lines by bwdif.</source>
        <translation>欠けたラインを bwdif で作ります。</translation>
    </message>
    <message>
        <source>Missing lines by line doubling; for a first look.</source>
        <translation>欠けたラインを、ラインを 2 倍にして作ります。最初の確認用です。</translation>
    </message>
    <message>
        <source>Input type</source>
        <translation>入力の種類</translation>
    </message>
    <message>
        <source>What the input is.</source>
        <translation>入力の種類です。</translation>
    </message>
    <message>
        <source>Interlaced (InputType 0).</source>
        <translation>インターレースです (InputType 0)。</translation>
    </message>
    <message>
        <source>Progressive pictures that shimmer: what does not last is taken out (InputType 1).</source>
        <translation>ちらつきのあるプログレッシブ画像です。持続しないものを取り除きます (InputType 1)。</translation>
    </message>
    <message>
        <source>Progressive pictures that were badly deinterlaced: every other line is made anew, of even and odd pictures in turn (InputType 2).</source>
        <translation>インターレースの解除がうまくいっていないプログレッシブ画像です。1 ラインおきに作り直し、そのラインは偶数番目と奇数番目の画像で入れ替わります (InputType 2)。</translation>
    </message>
    <message>
        <source>The same with the other lines (InputType 3).</source>
        <translation>他方のラインで同じ処理をします (InputType 3)。</translation>
    </message>
    <message>
        <source>Fps divisor</source>
        <translation>フレームレートの除数</translation>
    </message>
    <message>
        <source>One picture of so many comes out: 2 keeps the frame rate of the input.</source>
        <translation>この枚数につき 1 枚を出力します。2 では入力のフレームレートのままです。</translation>
    </message>
    <message>
        <source>Tr0</source>
        <translation>Tr0</translation>
    </message>
    <message>
        <source>Pictures to each side that are mixed for the motion search.</source>
        <translation>動きの探索のために混ぜる、前後それぞれの画像の数です。</translation>
    </message>
    <message>
        <source>pictures</source>
        <translation>枚</translation>
    </message>
    <message>
        <source>Tr1</source>
        <translation>Tr1</translation>
    </message>
    <message>
        <source>Pictures to each side that the first smoothing along motion takes in.</source>
        <translation>動きに沿った最初の平滑化で使う、前後それぞれの画像の数です。</translation>
    </message>
    <message>
        <source>Tr2</source>
        <translation>Tr2</translation>
    </message>
    <message>
        <source>Pictures to each side that the last smoothing along motion takes in; it takes out grain, too.</source>
        <translation>動きに沿った最後の平滑化で使う、前後それぞれの画像の数です。粒状ノイズも取り除きます。</translation>
    </message>
    <message>
        <source>Rep0</source>
        <translation>Rep0</translation>
    </message>
    <message>
        <source>How the mixture for the search is repaired where it is not shimmer that went: 0 not at all; the units&apos; digit widens, the tens&apos; digit narrows what is repaired.</source>
        <translation>探索用に混ぜた画像で、ちらつき以外のものが失われた部分の修復方法です。0 では修復しません。修復する範囲を一の位は広げ、十の位は狭めます。</translation>
    </message>
    <message>
        <source>Rep1</source>
        <translation>Rep1</translation>
    </message>
    <message>
        <source>The same after the first smoothing.</source>
        <translation>最初の平滑化の後の、同じ修復です。</translation>
    </message>
    <message>
        <source>Rep2</source>
        <translation>Rep2</translation>
    </message>
    <message>
        <source>The same after the last smoothing.</source>
        <translation>最後の平滑化の後の、同じ修復です。</translation>
    </message>
    <message>
        <source>Rep chroma</source>
        <translation>クロマの修復</translation>
    </message>
    <message>
        <source>Repairs chroma, too.</source>
        <translation>クロマも修復します。</translation>
    </message>
    <message>
        <source>Edi mode</source>
        <translation>補間モード</translation>
    </message>
    <message>
        <source>How missing lines are made at first.</source>
        <translation>欠けたラインを最初に作る方法です。</translation>
    </message>
    <message>
        <source>A neural network, from the field alone.</source>
        <translation>ニューラルネットワークで、そのフィールドだけから作ります。</translation>
    </message>
    <message>
        <source>bwdif: by lines above and below and the fields around.</source>
        <translation>bwdif です。上下のラインと前後のフィールドから作ります。</translation>
    </message>
    <message>
        <source>yadif: edges, bounded by the fields around.</source>
        <translation>yadif です。エッジに沿って補間し、結果を前後のフィールドの範囲に収めます。</translation>
    </message>
    <message>
        <source>A cubic through four lines of the field.</source>
        <translation>フィールドの 4 ラインにわたる 3 次補間です。</translation>
    </message>
    <message>
        <source>S mode</source>
        <translation>シャープ化モード</translation>
    </message>
    <message>
        <source>How sharpness that smoothing took is given back: 0 not at all, 1 from what is around, 2 from thin edges, too.</source>
        <translation>平滑化で失われたシャープさを戻す方法です。0 では戻さず、1 では周囲の値から、2 では細いエッジからも戻します。</translation>
    </message>
    <message>
        <source>Sl mode</source>
        <translation>シャープ化の制限</translation>
    </message>
    <message>
        <source>What bounds sharpening: 0 nothing; 1 what is around in space, 2 in time; 3 and 4 the same after the last smoothing.</source>
        <translation>シャープ化の結果を収める範囲です。0 では制限しません。1 では空間的に周囲の値、2 では時間的に前後の値の範囲に収めます。3 と 4 では、最後の平滑化の後に同じ制限を行います。</translation>
    </message>
    <message>
        <source>Sl rad</source>
        <translation>制限の半径</translation>
    </message>
    <message>
        <source>How far around.</source>
        <translation>周囲をどこまで見るかです。</translation>
    </message>
    <message>
        <source>S ovs</source>
        <translation>制限の超過</translation>
    </message>
    <message>
        <source>Codes that sharpening may go beyond that, as of 8 bits.</source>
        <translation>シャープ化がその範囲を超えてよい値の幅です (8 ビット換算)。</translation>
    </message>
    <message>
        <source>Sv thin</source>
        <translation>細線化</translation>
    </message>
    <message>
        <source>How much lines that lie flat are thinned.</source>
        <translation>水平に近い線を細くする度合いです。</translation>
    </message>
    <message>
        <source>Sbb</source>
        <translation>Sbb</translation>
    </message>
    <message>
        <source>Whether blurred differences of sharpening are taken out again: 0 no, 1 before it is bounded, 2 after, 3 both.</source>
        <translation>シャープ化による差分をぼかしたものを、再び取り除くかどうかです。0 では行わず、1 では制限の前、2 では制限の後、3 では両方で行います。</translation>
    </message>
    <message>
        <source>Srch clip pp</source>
        <translation>探索用のぼかし</translation>
    </message>
    <message>
        <source>How pictures are blurred for the search: 0 not at all, 1 simply, 2 by a wide bell, 3 that with edges kept.</source>
        <translation>探索用に画像をぼかす方法です。0 ではぼかさず、1 では単純に、2 では幅の広いガウス関数で、3 ではエッジを保ちながら 2 と同じようにぼかします。</translation>
    </message>
    <message>
        <source>How much sharpness is given back; 1 makes good what smoothing took.</source>
        <translation>シャープさを戻す度合いです。1 では平滑化で失われた分を補います。</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>精密</translation>
    </message>
    <message>
        <source>Thin edges are found more exactly.</source>
        <translation>細いエッジをより正確に見つけます。</translation>
    </message>
    <message>
        <source>Sub pel</source>
        <translation>サブペル</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>ブロックの大きさ</translation>
    </message>
    <message>
        <source>Pixels that a block shares with the next one: even, at most half a block.</source>
        <translation>隣のブロックと共有する画素数です。偶数で、ブロックの半分までです。</translation>
    </message>
    <message>
        <source>How motion is looked for: 0 to 2 around the best place, 3 everywhere in reach, 4 by hexagons, 5 by uneven hexagons (UMH).</source>
        <translation>動きの探し方です。0 ～ 2 では最良の位置の周囲、3 では範囲内のすべての位置を探します。4 では六角形、5 では不均等な六角形 (UMH) で探します。</translation>
    </message>
    <message>
        <source>Search param</source>
        <translation>探索パラメーター</translation>
    </message>
    <message>
        <source>Search range on the coarser levels, in pixels of the level.</source>
        <translation>粗い階層での探索範囲です (その階層の画素数)。</translation>
    </message>
    <message>
        <source>Chroma motion</source>
        <translation>クロマの動き</translation>
    </message>
    <message>
        <source>Lets chroma count in the search.</source>
        <translation>探索でクロマも考慮します。</translation>
    </message>
    <message>
        <source>True motion</source>
        <translation>真の動き</translation>
    </message>
    <message>
        <source>Neighbours&apos; vectors are held together more.</source>
        <translation>隣り合うブロックのベクトルをより強くそろえます。</translation>
    </message>
    <message>
        <source>Lambda</source>
        <translation>ラムダ</translation>
    </message>
    <message>
        <source>How much: for each squared step, of 8x8 pixels. 100 if not given, 1000 with true motion.</source>
        <translation>ベクトルをそろえる強さです。8x8 画素について、刻みの 2 乗あたりの値で指定します。指定しなければ 100、「真の動き」では 1000 です。</translation>
    </message>
    <message>
        <source>Lsad</source>
        <translation>Lsad</translation>
    </message>
    <message>
        <source>Blocks that fit worse than this, of 8x8 pixels, are held less. 400 if not given, 1200 with true motion.</source>
        <translation>これより一致しないブロックでは、ベクトルをそろえる強さを弱めます (8x8 画素での値)。指定しなければ 400、「真の動き」では 1200 です。</translation>
    </message>
    <message>
        <source>P new</source>
        <translation>P new</translation>
    </message>
    <message>
        <source>What a place costs that no neighbour told, in 256ths. 25 if not given, 50 with true motion.</source>
        <translation>隣のブロックから得たものではない位置にかかるコストを 256 分の 1 単位で指定します。指定しなければ 25、「真の動き」では 50 です。</translation>
    </message>
    <message>
        <source>Th sad1</source>
        <translation>SAD のしきい値 1</translation>
    </message>
    <message>
        <source>How badly a block may fit and still count in the first smoothing: the sum of differences of 8x8 pixels.</source>
        <translation>最初の平滑化で、どの程度まで一致しないブロックを考慮するかです。8x8 画素の差の合計で指定します。</translation>
    </message>
    <message>
        <source>Th sad2</source>
        <translation>SAD のしきい値 2</translation>
    </message>
    <message>
        <source>The same in the last smoothing.</source>
        <translation>最後の平滑化についての同じ値です。</translation>
    </message>
    <message>
        <source>Th scd1</source>
        <translation>カットのしきい値 1</translation>
    </message>
    <message>
        <source>A block that fits worse does not fit: behind a cut most do not.</source>
        <translation>これより一致しないブロックは一致しないとみなします。カットの後では、ほとんどのブロックが一致しません。</translation>
    </message>
    <message>
        <source>Th scd2</source>
        <translation>カットのしきい値 2</translation>
    </message>
    <message>
        <source>Blocks, in 256ths, that do not fit behind a cut.</source>
        <translation>カットの後で一致しないブロックの割合を 256 分の 1 単位で指定します。</translation>
    </message>
    <message>
        <source>Source match</source>
        <translation>元の画像への一致</translation>
    </message>
    <message>
        <source>Steps that bring the result nearer to the source: 0 none, 1 to 3.</source>
        <translation>結果を元の画像に近づける段階の数です。0 では行いません。1 ～ 3 で指定します。</translation>
    </message>
    <message>
        <source>Match tr2</source>
        <translation>一致の tr2</translation>
    </message>
    <message>
        <source>Pictures to each side that smoothing takes in, in the second and third step.</source>
        <translation>第 2、第 3 段階の平滑化で使う、前後それぞれの画像の数です。</translation>
    </message>
    <message>
        <source>Match enhance</source>
        <translation>一致の強調</translation>
    </message>
    <message>
        <source>How much is sharpened between the steps.</source>
        <translation>段階の間でシャープにする度合いです。</translation>
    </message>
    <message>
        <source>Lossless</source>
        <translation>ロスレス</translation>
    </message>
    <message>
        <source>1: the source&apos;s lines come out as they are. 2: they do before sharpening.</source>
        <translation>1 では元のラインをそのまま出力します。2 ではシャープ化の前に元のラインに戻します。</translation>
    </message>
    <message>
        <source>Tuning</source>
        <translation>チューニング</translation>
    </message>
    <message>
        <source>What the picture is of.</source>
        <translation>画像の素材の種類です。</translation>
    </message>
    <message>
        <source>Blocks of 16 pixels, of 32 in fast presets.</source>
        <translation>ブロックは 16 画素、高速なプリセットでは 32 画素です。</translation>
    </message>
    <message>
        <source>DV in standard definition: as none.</source>
        <translation>標準解像度の DV です。「なし」と同じです。</translation>
    </message>
    <message>
        <source>DV in high definition: blocks of 32 pixels.</source>
        <translation>高解像度の DV です。ブロックは 32 画素です。</translation>
    </message>
    <message>
        <source>Nn neurons</source>
        <translation>ニューロン数</translation>
    </message>
    <message>
        <source>Which network makes missing lines: 0 and 1 the fast one, 2 and more the best one. Of weights: the neurons, as nnedi&apos;s nns has them.</source>
        <translation>欠けたラインを作るネットワークです。0 と 1 では「高速」、2 以上では「最高」を使います。重みを指定した場合はニューロンの数で、nnedi の nns と同じです。</translation>
    </message>
    <message>
        <source>Nn size</source>
        <translation>ニューロンの窓</translation>
    </message>
    <message>
        <source>For weights: the window of a neuron, as nnedi&apos;s nsize has it. Without effect on the program&apos;s own networks.</source>
        <translation>重みを指定した場合の、ニューロンの窓です。nnedi の nsize と同じです。プログラム自身のネットワークには影響しません。</translation>
    </message>
    <message>
        <source>Edi qual</source>
        <translation>補間の品質</translation>
    </message>
    <message>
        <source>For weights: the networks whose mean is taken. Without effect on the program&apos;s own networks.</source>
        <translation>重みを指定した場合の、平均をとるネットワークの数です。プログラム自身のネットワークには影響しません。</translation>
    </message>
    <message>
        <source>Match preset</source>
        <translation>一致のプリセット</translation>
    </message>
    <message>
        <source>Whose interpolation comes first where the source is matched; three presets faster if not given.</source>
        <translation>元の画像に一致させるとき、最初にどのプリセットの補間を使うかです。指定しなければ 3 段階速いプリセットです。</translation>
    </message>
    <message>
        <source>Match edi</source>
        <translation>一致の補間</translation>
    </message>
    <message>
        <source>The same interpolation by itself.</source>
        <translation>同じ補間を直接指定します。</translation>
    </message>
    <message>
        <source>Match preset2</source>
        <translation>一致のプリセット 2</translation>
    </message>
    <message>
        <source>Whose interpolation serves in the second step; two presets faster than that if not given.</source>
        <translation>第 2 段階でどのプリセットの補間を使うかです。指定しなければ、最初の補間より 2 段階速いプリセットです。</translation>
    </message>
    <message>
        <source>Match edi2</source>
        <translation>一致の補間 2</translation>
    </message>
    <message>
        <source>Noise process</source>
        <translation>ノイズの処理</translation>
    </message>
    <message>
        <source>What is done with noise: 0 nothing; 1 it is taken out, and part of it put back at the end; 2 the part that smoothing took is put back. 2 with the presets very slow and placebo, 1 with ez_denoise, 2 with ez_keep_grain, else 0.</source>
        <translation>ノイズの扱いです。0 では何もしません。1 では取り除き、最後に一部を戻します。2 では平滑化で失われた分を戻します。指定しなければ、プリセットが「非常に低速」か「プラセボ」なら 2、ez_denoise を使えば 1、ez_keep_grain を使えば 2、それ以外は 0 です。</translation>
    </message>
    <message>
        <source>Ez denoise</source>
        <translation>簡易ノイズ除去</translation>
    </message>
    <message>
        <source>Takes out noise of this strength: sets noise_process, sigma, and that nothing is put back. 0: does not.</source>
        <translation>この強さのノイズを取り除きます。noise_process と sigma を設定し、何も戻さないようにします。0 では行いません。</translation>
    </message>
    <message>
        <source>Ez keep grain</source>
        <translation>簡易粒状ノイズ保持</translation>
    </message>
    <message>
        <source>Keeps grain of this strength, about 1: sets noise_process, sigma, and what is put back. 0: does not.</source>
        <translation>この強さ (1 程度) の粒状ノイズを残します。noise_process、sigma、戻す量を設定します。0 では行いません。</translation>
    </message>
    <message>
        <source>Noise preset</source>
        <translation>ノイズのプリセット</translation>
    </message>
    <message>
        <source>How much work goes into noise.</source>
        <translation>ノイズの処理にかける手間です。</translation>
    </message>
    <message>
        <source>Along motion over five pictures; missing lines&apos; noise is generated and held steady.</source>
        <translation>動きに沿って 5 枚の画像を使います。欠けたラインのノイズを生成し、安定させます。</translation>
    </message>
    <message>
        <source>Along motion over three pictures; missing lines&apos; noise is interpolated and held steady.</source>
        <translation>動きに沿って 3 枚の画像を使います。欠けたラインのノイズを補間し、安定させます。</translation>
    </message>
    <message>
        <source>Over three pictures; noise is held steady.</source>
        <translation>3 枚の画像を使います。ノイズを安定させます。</translation>
    </message>
    <message>
        <source>Over three pictures.</source>
        <translation>3 枚の画像を使います。</translation>
    </message>
    <message>
        <source>In each picture by itself.</source>
        <translation>画像ごとに単独で処理します。</translation>
    </message>
    <message>
        <source>Denoise mc</source>
        <translation>動き補償ノイズ除去</translation>
    </message>
    <message>
        <source>Looks for noise along what moves.</source>
        <translation>動きに沿ってノイズを探します。</translation>
    </message>
    <message>
        <source>Noise tr</source>
        <translation>ノイズの tr</translation>
    </message>
    <message>
        <source>Pictures to each side that are looked at for noise.</source>
        <translation>ノイズを探すために参照する、前後それぞれの画像の数です。</translation>
    </message>
    <message>
        <source>Sigma</source>
        <translation>シグマ</translation>
    </message>
    <message>
        <source>How strong the noise is: its standard deviation in codes, as of 8 bits. 2 if not given.</source>
        <translation>ノイズの強さです。値の標準偏差を 8 ビット換算で指定します。指定しなければ 2 です。</translation>
    </message>
    <message>
        <source>Chroma noise</source>
        <translation>クロマのノイズ</translation>
    </message>
    <message>
        <source>Works on the noise of chroma, too.</source>
        <translation>クロマのノイズも処理します。</translation>
    </message>
    <message>
        <source>Show noise</source>
        <translation>ノイズを表示</translation>
    </message>
    <message>
        <source>Gives the noise instead of the picture, so many times as strong. 0: does not.</source>
        <translation>画像の代わりに、ノイズをこの倍率で強めて出力します。0 では行いません。</translation>
    </message>
    <message>
        <source>Grain restore</source>
        <translation>粒状ノイズの復元</translation>
    </message>
    <message>
        <source>How much of the noise is put back before the last smoothing.</source>
        <translation>最後の平滑化の前に戻すノイズの割合です。</translation>
    </message>
    <message>
        <source>Noise restore</source>
        <translation>ノイズの復元</translation>
    </message>
    <message>
        <source>How much of the noise is put back at the end.</source>
        <translation>最後に戻すノイズの割合です。</translation>
    </message>
    <message>
        <source>Noise deint</source>
        <translation>ノイズの補間</translation>
    </message>
    <message>
        <source>Where the noise of missing lines comes from.</source>
        <translation>欠けたラインのノイズをどこから得るかです。</translation>
    </message>
    <message>
        <source>The next field&apos;s noise.</source>
        <translation>次のフィールドのノイズを使います。</translation>
    </message>
    <message>
        <source>Interpolated between the field&apos;s lines: softer.</source>
        <translation>フィールドのラインの間を補間します。より柔らかくなります。</translation>
    </message>
    <message>
        <source>New grain, as strong as what is around.</source>
        <translation>周囲と同じ強さの粒状ノイズを新しく作ります。</translation>
    </message>
    <message>
        <source>Stabilize noise</source>
        <translation>ノイズの安定化</translation>
    </message>
    <message>
        <source>Holds noise steady along what moves.</source>
        <translation>動きに沿ってノイズを安定させます。</translation>
    </message>
    <message>
        <source>Shutter blur</source>
        <translation>シャッターブラー</translation>
    </message>
    <message>
        <source>Blurs what moves, as a shutter that is open for longer: 0 not at all, 1 along the blocks of the search, 2 and 3 along blocks half and a quarter as large.</source>
        <translation>シャッターをより長く開いたときのように、動くものをぼかします。0 ではぼかさず、1 では探索のブロック、2 と 3 ではその 2 分の 1 と 4 分の 1 の大きさのブロックの動きに沿ってぼかします。</translation>
    </message>
    <message>
        <source>Shutter angle src</source>
        <translation>元のシャッター角度</translation>
    </message>
    <message>
        <source>How far the shutter was open in the source: degrees of a field&apos;s time, of 360.</source>
        <translation>元の映像でシャッターが開いていた長さを、1 フィールドの時間を 360 度とする角度で指定します。</translation>
    </message>
    <message>
        <source>Shutter angle out</source>
        <translation>出力のシャッター角度</translation>
    </message>
    <message>
        <source>How far it is to be open in what comes out, of a picture&apos;s time: with fps_divisor 2 the same angle is twice as long.</source>
        <translation>出力でシャッターが開いている長さを、画像 1 枚の時間に対する角度で指定します。fps_divisor が 2 なら、同じ角度でも 2 倍の長さになります。</translation>
    </message>
    <message>
        <source>S blur limit</source>
        <translation>ブラーのしきい値</translation>
    </message>
    <message>
        <source>What moves by less is blurred less. 0: all is blurred in full.</source>
        <translation>動きがこれより小さいものは、ぼかしを弱めます。0 ではすべてを完全にぼかします。</translation>
    </message>
    <message>
        <source>Sub pel interp</source>
        <translation>サブピクセル補間</translation>
    </message>
    <message>
        <source>Interpolation of samples between pixels: 0 bilinear, 1 bicubic (four taps), 2 Wiener filter (six taps).</source>
        <translation>画素間のサンプルの補間方法です。0: バイリニア、1: バイキュービック (4 タップ)、2: ウィーナーフィルター (6 タップ)。</translation>
    </message>
    <message>
        <source>Pel search</source>
        <translation>最細階層の探索</translation>
    </message>
    <message>
        <source>Search range on the finest level, in steps of sub_pel; search_param is the range on the coarser levels.</source>
        <translation>最も細かい階層での探索範囲です (sub_pel の刻み)。粗い階層の範囲は search_param で指定します。</translation>
    </message>
    <message>
        <source>P level</source>
        <translation>P レベル</translation>
    </message>
    <message>
        <source>Scaling of lambda on coarser levels: 0 none, 1 by the level&apos;s scale, 2 by its square. 0 if not given, 1 with true motion.</source>
        <translation>粗い階層での lambda の倍率です。0: なし、1: 階層の縮尺、2: その 2 乗。指定しなければ 0、true motion では 1 です。</translation>
    </message>
    <message>
        <source>Fast ma</source>
        <translation>高速な動き解析</translation>
    </message>
    <message>
        <source>Searches for motion in pictures of 8 bits where the input has more.</source>
        <translation>入力が 8 ビットを超えるとき、8 ビットの画像で動きを探索します。</translation>
    </message>
    <message>
        <source>E search p</source>
        <translation>広い探索</translation>
    </message>
    <message>
        <source>Sets a wider search_param for the searches 4 and 5: 24 up to the preset slow, 16 from medium to very fast.</source>
        <translation>探索方法 4 と 5 の search_param を広げます。プリセット slow までは 24、medium から very fast までは 16 です。</translation>
    </message>
    <message>
        <source>Refine motion</source>
        <translation>動きの再探索</translation>
    </message>
    <message>
        <source>Searches again from the vectors found, with blocks of half the size; needs a block_size of 16 or 32.</source>
        <translation>得られたベクトルから、半分の大きさのブロックで再び探索します。block_size は 16 または 32 が必要です。</translation>
    </message>
    <message>
        <source>Chroma edi</source>
        <translation>クロマの補間</translation>
    </message>
    <message>
        <source>Interpolation of chroma&apos;s missing lines; as luma&apos;s if not given.</source>
        <translation>クロマの欠けたラインの補間方法です。指定しなければルマと同じです。</translation>
    </message>
    <message>
        <source>Takes out noise: what is weak among the frequencies of blocks of 16x16 samples, in one picture or over several.</source>
        <translation>1 枚または複数の画像にわたる 16x16 サンプルのブロックの周波数成分のうち、弱いものをノイズとして取り除きます。</translation>
    </message>
    <message>
        <source>How strong the noise is: its standard deviation in codes, as of 8 bits.</source>
        <translation>ノイズの強さです。値の標準偏差を 8 ビット換算で指定します。</translation>
    </message>
    <message>
        <source>Takes it out of chroma, too.</source>
        <translation>クロマのノイズも取り除きます。</translation>
    </message>
    <message>
        <source>Border</source>
        <translation>上下の縁取り</translation>
    </message>
    <message>
        <source>Puts mirrored rows above and below pictures while it works, so that the outermost rows have neighbours.</source>
        <translation>処理中だけ画像の上下に鏡像の行を足し、端の行にも隣接する行があるようにします。</translation>
    </message>
    <message>
        <source>Prog sad mask</source>
        <translation>プログレッシブ SAD マスク</translation>
    </message>
    <message>
        <source>Where pictures are repaired: blocks that fit where they moved to keep their luma, the better the more of it; the larger the number, the worse a block may fit. 0: none does. 10, from the preset fast on 0.</source>
        <translation>修復時に、動きがこの程度まで合うブロックの輝度を、合うほど多く元のまま残します。0 では残しません。指定しなければ 10、プリセット fast 以降では 0 です。</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>種類</translation>
    </message>
    <message>
        <source>What the texture holds.</source>
        <translation>テクスチャの内容。</translation>
    </message>
    <message>
        <source>Colours.</source>
        <translation>色。</translation>
    </message>
    <message>
        <source>Normals: x, y and z in red, green and blue; of BC5 x and y.</source>
        <translation>法線: 赤、緑、青に x、y、z。BC5 では x と y。</translation>
    </message>
    <message>
        <source>Channels that have nothing to do with each other, such as roughness and metalness.</source>
        <translation>粗さや金属度のように、互いに関係のないチャンネル。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>モデル</translation>
    </message>
    <message>
        <source>What makes the larger texture.</source>
        <translation>大きいテクスチャを作る方法。</translation>
    </message>
    <message>
        <source>No network: Lanczos3 with back-projection.</source>
        <translation>ネットワークなし: 逆投影を伴う Lanczos3。</translation>
    </message>
    <message>
        <source>Fourteen layers of 64 channels, trained on textures of that kind: sharper, most of all normals.</source>
        <translation>その種類のテクスチャで訓練した、64 チャンネル 14 層のネットワーク: より鮮明で、法線で効果が最も大きい。</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>形式</translation>
    </message>
    <message>
        <source>How the output is stored; as the input if not given: of BC2 as BC3, of an image as BC7.</source>
        <translation>出力の保存形式。指定がなければ入力と同じ。BC2 は BC3、画像は BC7 になります。</translation>
    </message>
    <message>
        <source>Colours with or without alpha; 8 bits a texel.</source>
        <translation>アルファの有無を問わない色。テクセルあたり 8 ビット。</translation>
    </message>
    <message>
        <source>Colours, and holes; 4 bits a texel.</source>
        <translation>色と穴。テクセルあたり 4 ビット。</translation>
    </message>
    <message>
        <source>Colours as BC1 has them, and alpha; 8 bits a texel.</source>
        <translation>BC1 と同じ色とアルファ。テクセルあたり 8 ビット。</translation>
    </message>
    <message>
        <source>Red alone; 4 bits a texel.</source>
        <translation>赤のみ。テクセルあたり 4 ビット。</translation>
    </message>
    <message>
        <source>Red and green alone, such as x and y of normals; 8 bits a texel.</source>
        <translation>赤と緑のみ (法線の x と y など)。テクセルあたり 8 ビット。</translation>
    </message>
    <message>
        <source>Without blocks; 32 bits a texel.</source>
        <translation>ブロックなし。テクセルあたり 32 ビット。</translation>
    </message>
    <message>
        <source>Quality</source>
        <translation>品質</translation>
    </message>
    <message>
        <source>How long blocks are worked on.</source>
        <translation>ブロックの処理にかける時間。</translation>
    </message>
    <message>
        <source>Modes 5, 6 and, with alpha, 7 of BC7.</source>
        <translation>BC7 のモード 5 と 6、アルファがあれば 7 も。</translation>
    </message>
    <message>
        <source>All modes, and the partitions that promise most.</source>
        <translation>すべてのモードと、最も有望なパーティション。</translation>
    </message>
    <message>
        <source>More partitions, and a longer search in each.</source>
        <translation>より多くのパーティションと、それぞれのより長い探索。</translation>
    </message>
    <message>
        <source>Mips</source>
        <translation>ミップ</translation>
    </message>
    <message>
        <source>Whether there are levels below the first.</source>
        <translation>最初のレベルより下のレベルを持つかどうか。</translation>
    </message>
    <message>
        <source>Levels</source>
        <translation>レベル</translation>
    </message>
    <message>
        <source>Where the levels below the first come from.</source>
        <translation>最初のレベルより下のレベルの出所。</translation>
    </message>
    <message>
        <source>The input&apos;s own levels, byte for byte where the format stays; those that it lacks are made.</source>
        <translation>入力自身のレベル。形式が同じならバイト単位でそのまま使い、足りないものは作ります。</translation>
    </message>
    <message>
        <source>Each is made of the level above.</source>
        <translation>それぞれを 1 つ上のレベルから作ります。</translation>
    </message>
    <message>
        <source>What lies beyond the texture&apos;s edges.</source>
        <translation>テクスチャの端の外側にあるもの。</translation>
    </message>
    <message>
        <source>The opposite edge: the texture tiles.</source>
        <translation>反対側の端: テクスチャは繰り返されます。</translation>
    </message>
    <message>
        <source>The nearest texel.</source>
        <translation>最も近いテクセル。</translation>
    </message>
    <message>
        <source>The texture, mirrored.</source>
        <translation>鏡映しのテクスチャ。</translation>
    </message>
    <message>
        <source>Supercompression</source>
        <translation>超圧縮</translation>
    </message>
    <message>
        <source>How the levels of a KTX2 file are packed.</source>
        <translation>KTX2 ファイルのレベルのまとめ方。</translation>
    </message>
    <message>
        <source>As a GPU takes them.</source>
        <translation>GPU が読む形のまま。</translation>
    </message>
    <message>
        <source>By zstd.</source>
        <translation>zstd による。</translation>
    </message>
    <message>
        <source>Doubles the size of textures and stores them in blocks.</source>
        <translation>テクスチャを2倍の大きさにし、ブロックで保存します。</translation>
    </message>
    <message>
        <source>The file to write: .dds or .ktx2. Of several &apos;folder/*.dds&apos;, where * is the input&apos;s name without its extension; without an extension the input&apos;s, .dds for images.</source>
        <translation>書き込むファイル：.dds または .ktx2。複数なら &apos;folder/*.dds&apos; で、* は拡張子を除いた入力の名前です。拡張子がなければ入力と同じ、画像なら .dds になります。</translation>
    </message>
    <message>
        <source>By the file&apos;s name: _n, _nrm, _normal: normal; _mask, _rough, _metal, _ao ...: mask; else albedo.</source>
        <translation>ファイル名によります。_n、_nrm、_normal は法線、_mask、_rough、_metal、_ao などはマスク、それ以外はアルベドです。</translation>
    </message>
    <message>
        <source>Red alone, from -1 to 1; 4 bits a texel.</source>
        <translation>赤のみ、-1 から 1。1テクセル4ビット。</translation>
    </message>
    <message>
        <source>Red and green alone, from -1 to 1; 8 bits a texel.</source>
        <translation>赤と緑のみ、-1 から 1。1テクセル8ビット。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Of several inputs: the names of those that are meant; all if not given.</source>
        <translation>複数の入力のうち対象とするものの名前。指定がなければすべて。</translation>
    </message>
    <message>
        <source>Smooths areas and keeps edges.</source>
        <translation>面を滑らかにし、輪郭は残します。</translation>
    </message>
    <message>
        <source>How far samples are averaged: the standard deviation of their weights.</source>
        <translation>どこまで離れたサンプルを平均するか。重みの標準偏差です。</translation>
    </message>
    <message>
        <source>How far values may differ, as a part of the whole range: the standard deviation of their weights.</source>
        <translation>値がどこまで違ってよいか。全範囲に対する割合で、重みの標準偏差です。</translation>
    </message>
    <message>
        <source>How it is computed.</source>
        <translation>計算の方法です。</translation>
    </message>
    <message>
        <source>On a coarse grid of place and value (Paris and Durand): fast at any width.</source>
        <translation>位置と値の粗いグリッド上で計算します（Paris と Durand）。幅によらず高速です。</translation>
    </message>
    <message>
        <source>Sample by sample, exact: slow where the width is large.</source>
        <translation>サンプルごとに正確に計算します。幅が大きいと遅くなります。</translation>
    </message>
    <message>
        <source>A texture (DDS, KTX2), an image (PNG, JPEG, TGA, TIFF), or several: a folder, or &apos;folder/*.dds&apos;; a star of a name is written \*.</source>
        <translation>テクスチャ（DDS、KTX2）または画像（PNG、JPEG、TGA、TIFF）。複数ならフォルダー、または &apos;folder/*.dds&apos;。名前に含まれる * は \* と書きます。</translation>
    </message>
    <message>
        <source>Measures a device by kernels and filters with known answers.</source>
        <translation>答えの分かっているカーネルとフィルターでデバイスの性能を測ります。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>What is measured; may be given several times; all if not given.</source>
        <translation>測るもの。複数指定できます。指定がなければすべてです。</translation>
    </message>
    <message>
        <source>Stream compaction: the entries that are not 0, in their order.</source>
        <translation>ストリームコンパクション。0 でない要素を順序どおりに集めます。</translation>
    </message>
    <message>
        <source>A matrix times a vector.</source>
        <translation>行列とベクトルの積。</translation>
    </message>
    <message>
        <source>A matrix times a matrix.</source>
        <translation>行列と行列の積。</translation>
    </message>
    <message>
        <source>Vectors added and copied, on the device and between it and the host.</source>
        <translation>ベクトルの加算とコピー。デバイス上と、ホストとの間。</translation>
    </message>
    <message>
        <source>Gravity of every particle on every other one.</source>
        <translation>すべての粒子の間に働く重力。</translation>
    </message>
    <message>
        <source>The bilateral filter, sample by sample and on a grid.</source>
        <translation>バイラテラルフィルター。サンプルごと、およびグリッド上。</translation>
    </message>
    <message>
        <source>Lines transformed in shared memory, by several sequences of radices and layouts.</source>
        <translation>共有メモリーでの行の変換。基数の列とデータの配置を変えて測ります。</translation>
    </message>
    <message>
        <source>Many small kernels: one by one, together, fused.</source>
        <translation>多数の小さなカーネル。1 つずつ、まとめて、融合して。</translation>
    </message>
    <message>
        <source>The sum of a vector.</source>
        <translation>ベクトルの総和。</translation>
    </message>
    <message>
        <source>Sums of absolute differences of bytes, one by one and packed.</source>
        <translation>バイトの差の絶対値の総和。1 つずつ、および詰めて。</translation>
    </message>
    <message>
        <source>The filters of video and images, as jobs run them.</source>
        <translation>動画と画像のフィルター。ジョブと同じように実行します。</translation>
    </message>
    <message>
        <source>What the device can do at most: copies, fp32, tensor cores.</source>
        <translation>デバイスの上限。コピー、fp32、Tensor コア。</translation>
    </message>
    <message>
        <source>A size instead of the benchmarks&apos; own: 4096, 2^24, 1920x1080; may be given several times.</source>
        <translation>ベンチマーク既定の代わりに使うサイズ（4096、2^24、1920x1080 など）。複数指定できます。</translation>
    </message>
    <message>
        <source>Variant</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>A variant; may be given several times; all if not given.</source>
        <translation>方式。複数指定できます。指定がなければすべてです。</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>回数</translation>
    </message>
    <message>
        <source>How often each case is timed, after a warm-up.</source>
        <translation>ウォームアップの後、各ケースを計測する回数です。</translation>
    </message>
    <message>
        <source>Finds which shapes of blocks suit a device.</source>
        <translation>デバイスに合うブロックの形を探します。</translation>
    </message>
    <message>
        <source>A kernel, or the beginning of the names of several; may be given several times; all that can be tuned if not given.</source>
        <translation>カーネルの名前、または複数の名前に共通する先頭。複数指定できます。指定がなければ調整できるものすべてです。</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>フィルター</translation>
    </message>
    <message>
        <source>A filter whose kernels are tuned; may be given several times.</source>
        <translation>カーネルを調整するフィルター。複数指定できます。</translation>
    </message>
    <message>
        <source>Again</source>
        <translation>再調整</translation>
    </message>
    <message>
        <source>Also kernels that the table has already.</source>
        <translation>表にすでにあるカーネルも対象にします。</translation>
    </message>
    <message>
        <source>How urgent the job is; where it is not given, upsample and tune jobs are spare.</source>
        <translation>ジョブの緊急度。指定がなければ upsample と tune のジョブは spare になります。</translation>
    </message>
    <message>
        <source>A small network that makes each block of BC7, BC1 or BC5 itself, in a small part of the operations of &apos;large&apos;.</source>
        <translation>小さなネットワークが BC7 の各ブロックそのものを、large のごく一部の計算量で作ります。</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>検査</translation>
    </message>
    <message>
        <source>What is done with a texture that a network spoils: its colours shift, or its blocks show.</source>
        <translation>ネットワークが損なったテクスチャ（色がずれる、またはブロックが目立つもの）をどう扱うか。</translation>
    </message>
    <message>
        <source>Nothing is checked.</source>
        <translation>何も検査しません。</translation>
    </message>
    <message>
        <source>The result says which, and why.</source>
        <translation>どれがなぜそうなのかを結果に記します。</translation>
    </message>
    <message>
        <source>It is made again without a network, and the result says which, and why.</source>
        <translation>ネットワークを使わずに作り直し、どれがなぜそうなのかを結果に記します。</translation>
    </message>
    <message>
        <source>Exceptions</source>
        <translation>例外</translation>
    </message>
    <message>
        <source>A table of textures that no network makes: on each line a name or a pattern, then the reason. &apos;weft show --exceptions JOB&apos; prints lines for it.</source>
        <translation>ネットワークで作らないテクスチャの表です。各行に名前またはパターン、続けて理由を書きます。「weft show --exceptions JOB」がその行を出力します。</translation>
    </message>
    <message>
        <source>Gloss</source>
        <translation>光沢</translation>
    </message>
    <message>
        <source>Of normals: alpha holds the gloss that the new level gains over the level below it.</source>
        <translation>法線用。新しいレベルが一つ下のレベルに対して得る光沢をアルファに格納します。</translation>
    </message>
    <message>
        <source>Mip light</source>
        <translation>ミップの光</translation>
    </message>
    <message>
        <source>Sets how the colours of sRGB formats are averaged to smaller levels.</source>
        <translation>sRGB 形式の色を小さいレベルへ平均する方法を設定します。</translation>
    </message>
    <message>
        <source>As linear light: codes of sRGB are decoded, averaged and encoded again.</source>
        <translation>線形光として平均します。sRGB の符号を復号し、平均して、再び符号化します。</translation>
    </message>
    <message>
        <source>As the stored codes.</source>
        <translation>格納された符号のまま平均します。</translation>
    </message>
    <message>
        <source>Transfer</source>
        <translation>伝達関数</translation>
    </message>
    <message>
        <source>Sets the transfer function of colours (&apos;--kind albedo&apos;) in inputs that do not state it: images, which are sRGB otherwise, and DDS files with an old header.</source>
        <translation>伝達関数が書かれていない入力の色 (--kind albedo) の伝達関数を設定します。対象は画像 (指定がなければ sRGB) と、旧ヘッダーの DDS ファイルです。</translation>
    </message>
    <message>
        <source>Sets the transfer function of colours (&apos;--kind albedo&apos;) in files that do not state it: DDS files with an old header.</source>
        <translation>伝達関数が書かれていないファイル (旧ヘッダーの DDS) の色 (--kind albedo) の伝達関数を設定します。</translation>
    </message>
    <message>
        <source>sRGB.</source>
        <translation>sRGB です。</translation>
    </message>
    <message>
        <source>None: codes are proportional to values.</source>
        <translation>なし。符号は値に比例します。</translation>
    </message>
</context>
<context>
    <name>Orders</name>
    <message>
        <source>%1 is paused.</source>
        <translation>%1 を一時停止しました。</translation>
    </message>
    <message>
        <source>%1 jobs are paused.</source>
        <translation>%1 件のジョブを一時停止しました。</translation>
    </message>
    <message>
        <source>%1 goes on.</source>
        <translation>%1 を再開しました。</translation>
    </message>
    <message>
        <source>%1 jobs go on.</source>
        <translation>%1 件のジョブを再開しました。</translation>
    </message>
    <message>
        <source>%1 is cancelled.</source>
        <translation>%1 をキャンセルしました。</translation>
    </message>
    <message>
        <source>%1 jobs are cancelled.</source>
        <translation>%1 件のジョブをキャンセルしました。</translation>
    </message>
    <message>
        <source>%1 is queued again.</source>
        <translation>%1 を再び待ち行列に入れました。</translation>
    </message>
    <message>
        <source>%1 jobs are queued again.</source>
        <translation>%1 件のジョブを再び待ち行列に入れました。</translation>
    </message>
    <message>
        <source>%1 has another priority.</source>
        <translation>%1 の優先度を変えました。</translation>
    </message>
    <message>
        <source>%1 jobs have another priority.</source>
        <translation>%1 件のジョブの優先度を変えました。</translation>
    </message>
    <message>
        <source>%1 jobs were refused; the first: %2</source>
        <translation>%1 件のジョブは拒否されました。最初の理由: %2</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>ほか %1 件</translation>
    </message>
</context>
<context>
    <name>SaveTable</name>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>CSV ファイル (*.csv)</translation>
    </message>
    <message>
        <source>%1 cannot be written (%2).</source>
        <translation>%1 に書き込めません (%2)。</translation>
    </message>
</context>
<context>
    <name>weft::gui::AboutDialog</name>
    <message>
        <source>About Weft</source>
        <translation>Weft について</translation>
    </message>
    <message>
        <source>Weft %1: jobs on GPUs, queued and shared.</source>
        <translation>Weft %1: GPU のジョブを待ち行列に入れ、分け合います。</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>バージョン</translation>
    </message>
    <message>
        <source>Libraries</source>
        <translation>ライブラリー</translation>
    </message>
    <message>
        <source>Made with</source>
        <translation>使用しているもの</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>ライセンス</translation>
    </message>
</context>
<context>
    <name>weft::gui::Announcements</name>
    <message>
        <source>Messages</source>
        <translation>メッセージ</translation>
    </message>
    <message>
        <source>Clear the messages</source>
        <translation>メッセージを消す</translation>
    </message>
</context>
<context>
    <name>weft::gui::BenchmarkCasesModel</name>
    <message>
        <source>within the spread</source>
        <translation>ばらつきの範囲内</translation>
    </message>
    <message>
        <source>Benchmark</source>
        <translation>ベンチマーク</translation>
    </message>
    <message>
        <source>Variant</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>入力</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>サイズ</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>Spread</source>
        <translation>ばらつき</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>上限比</translation>
    </message>
    <message>
        <source>Factor</source>
        <translation>倍率</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>備考</translation>
    </message>
    <message>
        <source>On the device; the median of the runs.</source>
        <translation>デバイス上の時間。各回の中央値です。</translation>
    </message>
    <message>
        <source>From the first quartile of the times to the third, as a part of the median.</source>
        <translation>時間の第 1 四分位から第 3 四分位までの幅。中央値に対する割合です。</translation>
    </message>
    <message>
        <source>What of the device the case cannot be faster than.</source>
        <translation>このケースの速さを制限する、デバイスの性能です。</translation>
    </message>
    <message>
        <source>The shortest time that the limit allows, as a part of the time.</source>
        <translation>上限から決まる最短の時間が、かかった時間に占める割合です。</translation>
    </message>
    <message>
        <source>How many times as fast as in the run that it is compared with; bold where that is more than chance.</source>
        <translation>比較する測定の何倍の速さか。偶然とは言えない差は太字です。</translation>
    </message>
</context>
<context>
    <name>weft::gui::BenchmarkPlotView</name>
    <message>
        <source>Plot</source>
        <translation>グラフ</translation>
    </message>
    <message>
        <source>Nothing of it was timed.</source>
        <translation>計測できたものがありません。</translation>
    </message>
    <message>
        <source>Size in %1s</source>
        <comment>of a unit: elements</comment>
        <translation>サイズ (%1)</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>ほか %1</translation>
    </message>
</context>
<context>
    <name>weft::gui::BenchmarkRunsModel</name>
    <message>
        <source>%1, %2 not timed</source>
        <comment>so many cases, so many of them</comment>
        <translation>%1、うち %2 は計測できず</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>日時</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Cases</source>
        <translation>ケース</translation>
    </message>
    <message>
        <source>Benchmarks</source>
        <translation>ベンチマーク</translation>
    </message>
</context>
<context>
    <name>weft::gui::BenchmarksView</name>
    <message>
        <source>Runs</source>
        <translation>測定</translation>
    </message>
    <message>
        <source>Nothing was measured yet; run benchmarks.</source>
        <translation>まだ何も測定していません。ベンチマークを実行してください。</translation>
    </message>
    <message>
        <source>Cases</source>
        <translation>ケース</translation>
    </message>
    <message>
        <source>The run</source>
        <translation>選択中の測定</translation>
    </message>
    <message>
        <source>&amp;Run benchmarks ...</source>
        <translation>ベンチマークを実行(&amp;R) ...</translation>
    </message>
    <message>
        <source>Benchmark</source>
        <translation>ベンチマーク</translation>
    </message>
    <message>
        <source>What the plot shows</source>
        <translation>グラフの値</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>時間</translation>
    </message>
    <message>
        <source>Share of the limit</source>
        <translation>上限に対する割合</translation>
    </message>
    <message>
        <source>&amp;Compare with:</source>
        <translation>比較対象(&amp;C):</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>比較対象</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>エクスポート(&amp;E)</translation>
    </message>
    <message>
        <source>Cases as &amp;CSV ...</source>
        <translation>ケースを CSV で(&amp;C) ...</translation>
    </message>
    <message>
        <source>Result as &amp;JSON ...</source>
        <translation>結果を JSON で(&amp;J) ...</translation>
    </message>
    <message>
        <source>Report as &amp;HTML ...</source>
        <translation>レポートを HTML で(&amp;H) ...</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>All benchmarks</source>
        <translation>すべてのベンチマーク</translation>
    </message>
    <message>
        <source>%1: %2; dotted: %3</source>
        <comment>benchmark, value, another run</comment>
        <translation>%1: %2、点線: %3</translation>
    </message>
    <message>
        <source>Export benchmarks</source>
        <translation>ベンチマークのエクスポート</translation>
    </message>
    <message>
        <source>Comma-separated values (*.csv)</source>
        <translation>CSV ファイル (*.csv)</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Web pages (*.html)</source>
        <translation>ウェブページ (*.html)</translation>
    </message>
</context>
<context>
    <name>weft::gui::ChainEditor</name>
    <message>
        <source>Add a filter</source>
        <translation>フィルターを追加</translation>
    </message>
    <message>
        <source>Add a filter: %1</source>
        <translation>フィルターを追加: %1</translation>
    </message>
    <message>
        <source>Move up</source>
        <translation>上へ</translation>
    </message>
    <message>
        <source>Move down</source>
        <translation>下へ</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>取り除く</translation>
    </message>
</context>
<context>
    <name>weft::gui::ColumnActions</name>
    <message>
        <source>&amp;Columns</source>
        <translation>列(&amp;C)</translation>
    </message>
    <message>
        <source>Move the column &amp;left</source>
        <translation>列を左へ移動(&amp;L)</translation>
    </message>
    <message>
        <source>Move the column &amp;right</source>
        <translation>列を右へ移動(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Sort by the column</source>
        <translation>この列で並べ替え(&amp;S)</translation>
    </message>
</context>
<context>
    <name>weft::gui::CompareView</name>
    <message>
        <source>Gain of the difference</source>
        <translation>差分のゲイン</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>ゲイン</translation>
    </message>
    <message>
        <source>Gain %1</source>
        <translation>ゲイン %1</translation>
    </message>
    <message>
        <source>Exposure</source>
        <translation>露出</translation>
    </message>
    <message>
        <source>Exposure in stops</source>
        <translation>露出 (段)</translation>
    </message>
    <message>
        <source>Exposure %1</source>
        <translation>露出 %1</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>ズーム</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>比較の対象</translation>
    </message>
    <message>
        <source>The pixel under the pointer</source>
        <translation>ポインターの下の画素</translation>
    </message>
    <message>
        <source>%1%</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>First picture</source>
        <translation>最初の画像</translation>
    </message>
    <message>
        <source>Picture before</source>
        <translation>前の画像</translation>
    </message>
    <message>
        <source>Next picture</source>
        <translation>次の画像</translation>
    </message>
    <message>
        <source>Last picture</source>
        <translation>最後の画像</translation>
    </message>
    <message>
        <source>%1 pictures back</source>
        <translation>%1 枚戻る</translation>
    </message>
    <message>
        <source>%1 pictures on</source>
        <translation>%1 枚進む</translation>
    </message>
    <message>
        <source>Place in the output</source>
        <translation>出力内の位置</translation>
    </message>
    <message>
        <source>Picture of the output, from 0</source>
        <translation>出力の画像番号 (0 から)</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>ワイプ</translation>
    </message>
    <message>
        <source>Flicker</source>
        <translation>交互表示</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差分</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>並べて表示</translation>
    </message>
    <message>
        <source>Change before and after by hand</source>
        <translation>処理前と処理後を手動で切り替え</translation>
    </message>
    <message>
        <source>Fields woven</source>
        <translation>両フィールド</translation>
    </message>
    <message>
        <source>Field of the picture</source>
        <translation>この画像のフィールド</translation>
    </message>
    <message>
        <source>Top field</source>
        <translation>トップフィールド</translation>
    </message>
    <message>
        <source>Bottom field</source>
        <translation>ボトムフィールド</translation>
    </message>
    <message>
        <source>Fields of interlaced pictures</source>
        <translation>インターレース画像のフィールド</translation>
    </message>
    <message>
        <source>Which lines of an interlaced picture are shown (I)</source>
        <translation>インターレース画像のどのラインを表示するか (I)</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>全体</translation>
    </message>
    <message>
        <source>100%</source>
        <translation>100%</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>拡大</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>縮小</translation>
    </message>
    <message>
        <source>More gain</source>
        <translation>ゲインを上げる</translation>
    </message>
    <message>
        <source>Less gain</source>
        <translation>ゲインを下げる</translation>
    </message>
    <message>
        <source>Exposure up</source>
        <translation>露出を上げる</translation>
    </message>
    <message>
        <source>Exposure down</source>
        <translation>露出を下げる</translation>
    </message>
    <message>
        <source>Next choice of fields</source>
        <translation>フィールドの選択を切り替え</translation>
    </message>
    <message>
        <source>of %1, from 0</source>
        <translation>/ %1 枚 (0 から)</translation>
    </message>
    <message>
        <source>No job is chosen.</source>
        <translation>ジョブが選ばれていません。</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1 (on its way)</source>
        <translation>%1 (取得中)</translation>
    </message>
    <message>
        <source>Choose a job in the table of jobs, and press Return there.</source>
        <translation>ジョブの表でジョブを選び、Return キーを押してください。</translation>
    </message>
    <message>
        <source>The input has %1x%2 pixels, the output %3x%4: they have no difference.</source>
        <translation>入力は %1x%2 画素、出力は %3x%4 画素のため、差分はありません。</translation>
    </message>
    <message>
        <source>%1, %2: before %3, after %4</source>
        <translation>%1, %2: 処理前 %3、処理後 %4</translation>
    </message>
    <message>
        <source>%1: output picture %2, the input&apos;s frame %3 (picture %4 of it)</source>
        <translation>%1: 出力画像 %2、入力フレーム %3 (その %4 枚目)</translation>
    </message>
    <message>
        <source>%1: output picture %2, the input&apos;s picture %3</source>
        <translation>%1: 出力画像 %2、入力画像 %3</translation>
    </message>
    <message>
        <source>Square pixels</source>
        <translation>正方形画素</translation>
    </message>
    <message>
        <source>Pixels as wide as high (A); the file&apos;s are %1 times as wide as high.</source>
        <translation>画素を正方形で表示します (A)。このファイルの画素は高さの %1 倍の幅です。</translation>
    </message>
    <message>
        <source>The picture is on its way.</source>
        <translation>画像を取得しています。</translation>
    </message>
    <message>
        <source>mode %1</source>
        <translation>モード %1</translation>
    </message>
    <message>
        <source>first end larger</source>
        <translation>第1端点が大きい</translation>
    </message>
    <message>
        <source>first end not larger</source>
        <translation>第1端点が大きくない</translation>
    </message>
    <message>
        <source>reserved mode</source>
        <translation>予約されたモード</translation>
    </message>
    <message>
        <source>Block modes</source>
        <translation>ブロックのモード</translation>
    </message>
    <message>
        <source>Each block in the colour of its mode (B); the mode is said for the pixel under the pointer</source>
        <translation>各ブロックをそのモードの色で表示します（B）。ポインターの下の画素のモードも表示されます</translation>
    </message>
    <message>
        <source>Lit</source>
        <translation>照明</translation>
    </message>
    <message>
        <source>Normals as a surface under a light that follows the pointer (L)</source>
        <translation>法線を、ポインターに従う光の下の面として表示します（L）</translation>
    </message>
    <message>
        <source>Files of the job</source>
        <translation>ジョブのファイル</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
</context>
<context>
    <name>weft::gui::DeviceActions</name>
    <message>
        <source>Use the device again</source>
        <translation>デバイスの使用を再開します</translation>
    </message>
    <message>
        <source>%1 is being drained: running jobs are finished, no new ones start.</source>
        <translation>%1 の受け付けを停止しました。実行中のジョブは最後まで実行され、新しいジョブは始まりません。</translation>
    </message>
    <message>
        <source>%1 is used again.</source>
        <translation>%1 の使用を再開しました。</translation>
    </message>
    <message>
        <source>&amp;Drain the device ...</source>
        <translation>デバイスの受け付けを停止(&amp;D)...</translation>
    </message>
    <message>
        <source>Finish running jobs on the device, start no new ones</source>
        <translation>実行中のジョブを終わらせ、新しいジョブは始めません</translation>
    </message>
    <message>
        <source>&amp;Resume the device</source>
        <translation>デバイスの使用を再開(&amp;R)</translation>
    </message>
    <message>
        <source>Drain %1 of %2? Running jobs are finished, and no new ones start on it until it is resumed.</source>
        <translation>%2 の %1 の受け付けを停止しますか? 実行中のジョブは最後まで実行され、再開するまで新しいジョブは始まりません。</translation>
    </message>
    <message>
        <source>Drain a device</source>
        <translation>デバイスの受け付け停止</translation>
    </message>
</context>
<context>
    <name>weft::gui::DeviceStrip</name>
    <message>
        <source>Device</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Hardware</source>
        <translation>ハードウェア</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>理由</translation>
    </message>
    <message>
        <source>Device time now</source>
        <translation>現在のデバイス時間</translation>
    </message>
    <message>
        <source>Spare time used</source>
        <translation>空き時間の利用率</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>数値</translation>
    </message>
    <message>
        <source>Streams on %1</source>
        <translation>%1 のストリーム</translation>
    </message>
    <message>
        <source>as it was %1 ago</source>
        <translation>%1前の状態</translation>
    </message>
    <message>
        <source>no sample for %1</source>
        <translation>%1 の間サンプルなし</translation>
    </message>
    <message>
        <source>memory %1</source>
        <translation>メモリー %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1、%2</translation>
    </message>
    <message>
        <source>— budget of jobs</source>
        <translation>— ジョブの割り当て</translation>
    </message>
</context>
<context>
    <name>weft::gui::DeviceTimeline</name>
    <message>
        <source>Device time of %1</source>
        <translation>%1 のデバイス時間</translation>
    </message>
    <message>
        <source>now</source>
        <translation>現在</translation>
    </message>
    <message>
        <source>-%1</source>
        <translation>-%1</translation>
    </message>
    <message>
        <source>%1: nothing is known</source>
        <translation>%1: 情報なし</translation>
    </message>
    <message>
        <source>%1: %2; budget %3</source>
        <translation>%1: %2、割り当て %3</translation>
    </message>
</context>
<context>
    <name>weft::gui::DevicesView</name>
    <message>
        <source>Time shown</source>
        <translation>表示する期間</translation>
    </message>
    <message>
        <source>Last %1</source>
        <translation>過去 %1</translation>
    </message>
    <message>
        <source>Devices that cannot be used</source>
        <translation>使用できないデバイス</translation>
    </message>
</context>
<context>
    <name>weft::gui::DraftModel</name>
    <message>
        <source>Space: not known</source>
        <translation>容量: 不明</translation>
    </message>
    <message>
        <source>Space: %1 at most, %2 are free</source>
        <translation>容量: 最大 %1、空き %2</translation>
    </message>
    <message>
        <source>Time: not known; nothing like it ran yet</source>
        <translation>時間: 不明 (同種の実行実績がありません)</translation>
    </message>
    <message>
        <source>Writes: %1</source>
        <translation>書き込み: %1</translation>
    </message>
    <message>
        <source>File</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>What it is</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>フォルダー</translation>
    </message>
    <message>
        <source>1 file</source>
        <translation>1 個</translation>
    </message>
    <message>
        <source>%1 files</source>
        <translation>%1 個</translation>
    </message>
    <message>
        <source>%1 of %2 cannot be used: %3</source>
        <comment>of so many files</comment>
        <translation>ファイル %2中 %1 個は使用できません: %3</translation>
    </message>
    <message>
        <source>%1 of %2 examined: %3 in, %4 out</source>
        <comment>of so many files, so many units</comment>
        <translation>ファイル %2中 %1 個を確認済み: 入力 %3、出力 %4 単位</translation>
    </message>
    <message>
        <source>1 unit</source>
        <translation>1 単位</translation>
    </message>
    <message>
        <source>%1 units</source>
        <translation>%1 単位</translation>
    </message>
    <message>
        <source>; 1 file is left out</source>
        <translation> (1 個のファイルを除く)</translation>
    </message>
    <message>
        <source>; %1 files are left out</source>
        <translation> (%1 個のファイルを除く)</translation>
    </message>
    <message>
        <source>Time: %1 of work</source>
        <translation>時間: 処理 %1</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobActions</name>
    <message>
        <source>&amp;Pause</source>
        <translation>一時停止(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Resume</source>
        <translation>再開(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Cancel ...</source>
        <translation>キャンセル(&amp;C)...</translation>
    </message>
    <message>
        <source>Re&amp;try</source>
        <translation>再試行(&amp;T)</translation>
    </message>
    <message>
        <source>Priority &amp;up</source>
        <translation>優先度を上げる(&amp;U)</translation>
    </message>
    <message>
        <source>Priority &amp;down</source>
        <translation>優先度を下げる(&amp;D)</translation>
    </message>
    <message>
        <source>Set pr&amp;iority ...</source>
        <translation>優先度を設定(&amp;I)...</translation>
    </message>
    <message>
        <source>Copy i&amp;d</source>
        <translation>ID をコピー(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Open folder</source>
        <translation>フォルダーを開く(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Export ...</source>
        <translation>エクスポート(&amp;E)...</translation>
    </message>
    <message>
        <source>Cancel %1 (%2)?</source>
        <translation>%1 (%2) をキャンセルしますか?</translation>
    </message>
    <message>
        <source>Cancel %1 jobs?</source>
        <translation>%1 件のジョブをキャンセルしますか?</translation>
    </message>
    <message>
        <source>Cancel jobs</source>
        <translation>ジョブのキャンセル</translation>
    </message>
    <message>
        <source>Priority</source>
        <translation>優先度</translation>
    </message>
    <message>
        <source>Higher goes first (%1 to %2):</source>
        <translation>大きいほど先に実行されます (%1 ～ %2):</translation>
    </message>
    <message>
        <source>Export jobs</source>
        <translation>ジョブのエクスポート</translation>
    </message>
    <message>
        <source>Co&amp;mpare</source>
        <translation>比較(&amp;M)</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobDetailView</name>
    <message>
        <source>Log</source>
        <translation>ログ</translation>
    </message>
    <message>
        <source>Specification</source>
        <translation>仕様</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>詳細</translation>
    </message>
    <message>
        <source>Choose a job to see what is known of it.</source>
        <translation>ジョブを選ぶと、その内容がここに表示されます。</translation>
    </message>
    <message>
        <source>Copy the value</source>
        <translation>値をコピー</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobForm</name>
    <message>
        <source>Kind of job</source>
        <translation>ジョブの種類</translation>
    </message>
    <message>
        <source>Which options are shown</source>
        <translation>表示するオプション</translation>
    </message>
    <message>
        <source>Usual options</source>
        <translation>よく使うオプション</translation>
    </message>
    <message>
        <source>All options</source>
        <translation>すべてのオプション</translation>
    </message>
    <message>
        <source>Only what is given</source>
        <translation>指定したものだけ</translation>
    </message>
    <message>
        <source>Search options</source>
        <translation>オプションを検索</translation>
    </message>
    <message>
        <source>Search options: a name, a word of the help ...</source>
        <translation>オプションを検索: 名前、説明中の語 ...</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>キュー</translation>
    </message>
    <message>
        <source>Options</source>
        <translation>オプション</translation>
    </message>
    <message>
        <source>No option matches.</source>
        <translation>一致するオプションはありません。</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobsTable</name>
    <message>
        <source>Jobs</source>
        <translation>ジョブ</translation>
    </message>
</context>
<context>
    <name>weft::gui::JobsView</name>
    <message>
        <source>Search jobs</source>
        <translation>ジョブを検索</translation>
    </message>
    <message>
        <source>Number of jobs</source>
        <translation>ジョブの数</translation>
    </message>
    <message>
        <source>Jobs: %1</source>
        <translation>ジョブ: %1</translation>
    </message>
    <message>
        <source>Jobs: %1 of %2</source>
        <translation>ジョブ: %1 / %2</translation>
    </message>
    <message>
        <source>, %1 selected</source>
        <translation>、選択中 %1</translation>
    </message>
    <message>
        <source>Search: words of what is shown, or state:failed owner:anna ...</source>
        <translation>検索: 表示中の列の語、または state:failed owner:anna など</translation>
    </message>
    <message>
        <source>Words are looked for in the columns that are shown. A field is chosen by its name: %1. Down and Enter go to the jobs, Esc clears and leaves.</source>
        <translation>語は表示中の列から探します。項目は名前で指定します: %1。↓ キーと Enter キーでジョブへ移り、Esc キーで消して離れます。</translation>
    </message>
</context>
<context>
    <name>weft::gui::KeysDialog</name>
    <message>
        <source>The next device</source>
        <translation>次のデバイス</translation>
    </message>
    <message>
        <source>The device before</source>
        <translation>前のデバイス</translation>
    </message>
    <message>
        <source>Devices: less time</source>
        <translation>デバイス: 期間を短く</translation>
    </message>
    <message>
        <source>Devices: more time</source>
        <translation>デバイス: 期間を長く</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>キー一覧</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>キー</translation>
    </message>
    <message>
        <source>What it does</source>
        <translation>動作</translation>
    </message>
    <message>
        <source>Search: clear it and leave</source>
        <translation>検索: 消して離れる</translation>
    </message>
    <message>
        <source>Search: go to the jobs</source>
        <translation>検索: ジョブへ移る</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>どこでも</translation>
    </message>
</context>
<context>
    <name>weft::gui::LinkBanner</name>
    <message>
        <source>%1: connecting ...</source>
        <translation>%1: 接続中 ...</translation>
    </message>
    <message>
        <source>%1: %2. What is shown is of that age.</source>
        <translation>%1: %2。表示はその時点のものです。</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1: %2。</translation>
    </message>
    <message>
        <source>Next try in %1 s.</source>
        <translation>%1 秒後に再接続します。</translation>
    </message>
    <message>
        <source>&amp;Retry now</source>
        <translation>今すぐ再接続(&amp;R)</translation>
    </message>
    <message>
        <source>Connection</source>
        <translation>接続</translation>
    </message>
    <message>
        <source>&amp;Edit the server ...</source>
        <translation>サーバーを編集(&amp;E)...</translation>
    </message>
    <message>
        <source>%1: %2. What runs is finished; nothing new starts until the daemon is back.</source>
        <translation>%1: %2。実行中のものは最後まで処理され、デーモンが戻るまで新しいものは始まりません。</translation>
    </message>
</context>
<context>
    <name>weft::gui::MainWindow</name>
    <message>
        <source>Weft</source>
        <translation>Weft</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>ジョブ</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>デバイス</translation>
    </message>
    <message>
        <source>Submit</source>
        <translation>投入</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>統計</translation>
    </message>
    <message>
        <source>Servers</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>Add a server</source>
        <translation>サーバーの追加</translation>
    </message>
    <message>
        <source>No longer look at %1? Its jobs go on.</source>
        <translation>%1 の表示をやめますか? ジョブは続行されます。</translation>
    </message>
    <message>
        <source>Remove a server</source>
        <translation>サーバーの削除</translation>
    </message>
    <message>
        <source>&amp;Server</source>
        <translation>サーバー(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Add ...</source>
        <translation>追加(&amp;A)...</translation>
    </message>
    <message>
        <source>&amp;Remove ...</source>
        <translation>削除(&amp;R)...</translation>
    </message>
    <message>
        <source>Retry &amp;now</source>
        <translation>今すぐ再接続(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>終了(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Job</source>
        <translation>ジョブ(&amp;J)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>表示(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Search</source>
        <translation>検索(&amp;S)</translation>
    </message>
    <message>
        <source>L&amp;og of the job</source>
        <translation>ジョブのログ(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;All jobs</source>
        <translation>すべてのジョブ(&amp;A)</translation>
    </message>
    <message>
        <source>Theme of the s&amp;ystem</source>
        <translation>システムの配色(&amp;Y)</translation>
    </message>
    <message>
        <source>&amp;Light theme</source>
        <translation>ライト(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark theme</source>
        <translation>ダーク(&amp;D)</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比較</translation>
    </message>
    <message>
        <source>Edit a server</source>
        <translation>サーバーの編集</translation>
    </message>
    <message>
        <source>&amp;Edit ...</source>
        <translation>編集(&amp;E)...</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>ヘルプ(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>キー一覧(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Notices of batches that ended</source>
        <translation>バッチ終了の通知(&amp;N)</translation>
    </message>
    <message>
        <source>Lan&amp;guage</source>
        <translation>言語(&amp;G)</translation>
    </message>
    <message>
        <source>The language counts from the next start on: %1.</source>
        <translation>言語は次回の起動から変わります: %1。</translation>
    </message>
    <message>
        <source>%1 running, %2 queued, %3 failed - Weft</source>
        <translation>実行中 %1、待機中 %2、失敗 %3 - Weft</translation>
    </message>
    <message>
        <source>&amp;About Weft</source>
        <translation>Weft について(&amp;A)</translation>
    </message>
    <message>
        <source>Benchmarks</source>
        <translation>ベンチマーク</translation>
    </message>
</context>
<context>
    <name>weft::gui::NoteLabel</name>
    <message>
        <source>Wrong: %1</source>
        <translation>誤り: %1</translation>
    </message>
</context>
<context>
    <name>weft::gui::Notices</name>
    <message>
        <source>Jobs that failed: %1 of %2</source>
        <translation>ジョブの失敗: %2 件中 %1 件</translation>
    </message>
    <message>
        <source>Jobs that were cancelled: %1</source>
        <translation>ジョブのキャンセル: %1 件</translation>
    </message>
    <message>
        <source>Jobs that are done: %1</source>
        <translation>ジョブの完了: %1 件</translation>
    </message>
    <message>
        <source>and %1 more</source>
        <translation>ほか %1 件</translation>
    </message>
</context>
<context>
    <name>weft::gui::OptionEditor</name>
    <message>
        <source>not given</source>
        <translation>指定なし</translation>
    </message>
    <message>
        <source>Choose a file: %1</source>
        <translation>ファイルを選択: %1</translation>
    </message>
    <message>
        <source>%1, one a line</source>
        <translation>%1 (1 行に 1 つ)</translation>
    </message>
    <message>
        <source>%1 (default)</source>
        <translation>%1 (既定)</translation>
    </message>
    <message>
        <source>any (default)</source>
        <translation>任意 (既定)</translation>
    </message>
</context>
<context>
    <name>weft::gui::OptionField</name>
    <message>
        <source>Forget what is given: the default counts</source>
        <translation>指定を消して既定値に戻します</translation>
    </message>
    <message>
        <source>Use the default: %1</source>
        <translation>既定値に戻す: %1</translation>
    </message>
    <message>
        <source>&quot;%1&quot; does not fit here: give %2.</source>
        <translation>「%1」は指定できません。指定できるのは%2です。</translation>
    </message>
</context>
<context>
    <name>weft::gui::PictureCanvas</name>
    <message>
        <source>Pictures before and after</source>
        <translation>処理前と処理後の画像</translation>
    </message>
    <message>
        <source>after</source>
        <translation>処理後</translation>
    </message>
    <message>
        <source>before</source>
        <translation>処理前</translation>
    </message>
    <message>
        <source>difference</source>
        <translation>差分</translation>
    </message>
</context>
<context>
    <name>weft::gui::ProfileBar</name>
    <message>
        <source>Profiles (*.json)</source>
        <translation>プロファイル (*.json)</translation>
    </message>
    <message>
        <source>&amp;Profile:</source>
        <translation>プロファイル(&amp;P):</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>プロファイル</translation>
    </message>
    <message>
        <source>Save and share</source>
        <translation>保存と共有</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as ...</source>
        <translation>別名で保存(&amp;A)...</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>別名で保存</translation>
    </message>
    <message>
        <source>The profile&apos;s name:</source>
        <translation>プロファイルの名前:</translation>
    </message>
    <message>
        <source>&amp;Rename ...</source>
        <translation>名前の変更(&amp;R)...</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>名前の変更</translation>
    </message>
    <message>
        <source>Another name for %1:</source>
        <translation>%1 の新しい名前:</translation>
    </message>
    <message>
        <source>&amp;Delete ...</source>
        <translation>削除(&amp;D)...</translation>
    </message>
    <message>
        <source>&amp;Open a file ...</source>
        <translation>ファイルを開く(&amp;O)...</translation>
    </message>
    <message>
        <source>Open a profile</source>
        <translation>プロファイルを開く</translation>
    </message>
    <message>
        <source>&amp;Write a file ...</source>
        <translation>ファイルに書き込む(&amp;W)...</translation>
    </message>
    <message>
        <source>profile</source>
        <translation>プロファイル</translation>
    </message>
    <message>
        <source>Write a profile</source>
        <translation>プロファイルの書き込み</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>The options of %1 are chosen.</source>
        <translation>%1 のオプションを選択しました。</translation>
    </message>
    <message>
        <source>%1 is saved.</source>
        <translation>%1 を保存しました。</translation>
    </message>
    <message>
        <source>%1 is called %2 now.</source>
        <translation>%1 の名前を %2 に変更しました。</translation>
    </message>
    <message>
        <source>%1 is deleted.</source>
        <translation>%1 を削除しました。</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>削除</translation>
    </message>
    <message>
        <source>Delete the profile %1?</source>
        <translation>プロファイル %1 を削除しますか?</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>変更あり</translation>
    </message>
    <message>
        <source>The form holds something else than the profile.</source>
        <translation>フォームの内容はプロファイルと異なります。</translation>
    </message>
</context>
<context>
    <name>weft::gui::ServerDialog</name>
    <message>
        <source>A &amp;Unix socket of this machine</source>
        <translation>このマシンの Unix ソケット(&amp;U)</translation>
    </message>
    <message>
        <source>A &amp;host</source>
        <translation>ホスト(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Encrypted (TLS)</source>
        <translation>暗号化 (TLS)(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Keep the token in the settings, as plain text</source>
        <translation>トークンを平文で設定に保存(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Socket:</source>
        <translation>ソケット(&amp;S):</translation>
    </message>
    <message>
        <source>&amp;Name or number:</source>
        <translation>ホスト名またはアドレス(&amp;N):</translation>
    </message>
    <message>
        <source>&amp;Port:</source>
        <translation>ポート(&amp;P):</translation>
    </message>
    <message>
        <source>A daemon listens on a Unix socket or for this machine alone, as it cannot tell people apart yet: from elsewhere use an SSH tunnel, or a proxy before the daemon that ends TLS and looks at the token.</source>
        <translation>デーモンにはまだ利用者を区別する機能がないため、Unix ソケットまたは同じマシンからの接続だけを受け付けます。他のマシンからは SSH トンネルか、TLS を終端してトークンを検査するプロキシを経由してください。</translation>
    </message>
    <message>
        <source>Root &amp;certificates:</source>
        <translation>ルート証明書(&amp;C):</translation>
    </message>
    <message>
        <source>those of the system</source>
        <translation>システムの証明書</translation>
    </message>
    <message>
        <source>Name in the certi&amp;ficate:</source>
        <translation>証明書の名前(&amp;F):</translation>
    </message>
    <message>
        <source>that of the host</source>
        <translation>ホスト名と同じ</translation>
    </message>
    <message>
        <source>&amp;Token:</source>
        <translation>トークン(&amp;T):</translation>
    </message>
    <message>
        <source>none</source>
        <translation>なし</translation>
    </message>
    <message>
        <source>What is wrong</source>
        <translation>誤りの内容</translation>
    </message>
    <message>
        <source>Choose ...</source>
        <translation>選択...</translation>
    </message>
    <message>
        <source>Choose: %1</source>
        <translation>選択: %1</translation>
    </message>
</context>
<context>
    <name>weft::gui::ServersModel</name>
    <message>
        <source>connecting</source>
        <translation>接続中</translation>
    </message>
    <message>
        <source>live</source>
        <translation>接続済み</translation>
    </message>
    <message>
        <source>silent for %1</source>
        <translation>%1 応答なし</translation>
    </message>
    <message>
        <source>offline</source>
        <translation>オフライン</translation>
    </message>
    <message>
        <source>offline for %1</source>
        <translation>オフライン (%1)</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1: %2</translation>
    </message>
    <message>
        <source>Jobs by state: choose one to see only these.</source>
        <translation>状態別のジョブです。選ぶとその状態のものだけを表示します。</translation>
    </message>
    <message>
        <source>shutting down</source>
        <translation>停止処理中</translation>
    </message>
</context>
<context>
    <name>weft::gui::StatisticsModel</name>
    <message>
        <source>day</source>
        <translation>日</translation>
    </message>
    <message>
        <source>owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>failure</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>By</source>
        <translation>分類</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名前</translation>
    </message>
    <message>
        <source>Succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>処理単位</translation>
    </message>
    <message>
        <source>GPU seconds</source>
        <translation>GPU 秒</translation>
    </message>
    <message>
        <source>Newest message</source>
        <translation>最新のメッセージ</translation>
    </message>
    <message>
        <source>kind of job</source>
        <translation>ジョブの種類</translation>
    </message>
</context>
<context>
    <name>weft::gui::StatisticsView</name>
    <message>
        <source>A day</source>
        <translation>日別</translation>
    </message>
    <message>
        <source>GPU seconds by owner</source>
        <translation>所有者別の GPU 秒</translation>
    </message>
    <message>
        <source>Failed jobs by reason</source>
        <translation>理由別の失敗ジョブ</translation>
    </message>
    <message>
        <source>Last %1 days</source>
        <translation>過去 %1 日間</translation>
    </message>
    <message>
        <source>Days</source>
        <translation>日数</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>ジョブ</translation>
    </message>
    <message>
        <source>Units</source>
        <translation>処理単位</translation>
    </message>
    <message>
        <source>GPU seconds</source>
        <translation>GPU 秒</translation>
    </message>
    <message>
        <source>What is shown by day</source>
        <translation>日別に表示する値</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>統計</translation>
    </message>
    <message>
        <source>&amp;Export ...</source>
        <translation>エクスポート(&amp;E)...</translation>
    </message>
    <message>
        <source>succeeded</source>
        <translation>成功</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失敗</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>キャンセル</translation>
    </message>
    <message>
        <source>units</source>
        <translation>処理単位</translation>
    </message>
    <message>
        <source>Export statistics</source>
        <translation>統計のエクスポート</translation>
    </message>
    <message>
        <source>%1: %2 succeeded, %3 failed, %4 cancelled; %5, %6 GPU seconds</source>
        <comment>so many jobs, so many units</comment>
        <translation>%1: 成功 %2、失敗 %3 件、キャンセル %4 件、%5、%6 GPU 秒</translation>
    </message>
    <message>
        <source>1 job</source>
        <translation>1 件</translation>
    </message>
    <message>
        <source>%1 jobs</source>
        <translation>%1 件</translation>
    </message>
    <message>
        <source>1 unit</source>
        <translation>1 単位</translation>
    </message>
    <message>
        <source>%1 units</source>
        <translation>%1 単位</translation>
    </message>
    <message>
        <source>GPU seconds by kind of job</source>
        <translation>ジョブの種類ごとの GPU 秒</translation>
    </message>
</context>
<context>
    <name>weft::gui::StreamsModel</name>
    <message>
        <source>Beyond the deadline.</source>
        <translation>期限を超えています。</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>ストリーム</translation>
    </message>
    <message>
        <source>Class</source>
        <translation>クラス</translation>
    </message>
    <message>
        <source>Owner</source>
        <translation>所有者</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>フィルター</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>フレーム</translation>
    </message>
    <message>
        <source>Pictures/s</source>
        <translation>画像/秒</translation>
    </message>
    <message>
        <source>Latency p50</source>
        <translation>遅延 p50</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>Deadline</source>
        <translation>期限</translation>
    </message>
    <message>
        <source>Missed</source>
        <translation>遅れ</translation>
    </message>
</context>
<context>
    <name>weft::gui::SubmitView</name>
    <message>
        <source>Server</source>
        <translation>サーバー</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>ファイル</translation>
    </message>
    <message>
        <source>Drop files anywhere on the window, or add them below.</source>
        <translation>ウィンドウにファイルをドロップするか、下で追加してください。</translation>
    </message>
    <message>
        <source>Estimate</source>
        <translation>見積もり</translation>
    </message>
    <message>
        <source>&amp;Check all</source>
        <translation>すべて確認(&amp;C)</translation>
    </message>
    <message>
        <source>A file&apos;s path</source>
        <translation>ファイルのパス</translation>
    </message>
    <message>
        <source>A path, or frame.####.exr; then Enter</source>
        <translation>パスまたは frame.####.exr を入力して Enter</translation>
    </message>
    <message>
        <source>Add &amp;files ...</source>
        <translation>ファイルの追加(&amp;F)...</translation>
    </message>
    <message>
        <source>&amp;Join numbered files to a sequence</source>
        <translation>連番ファイルをシーケンスにまとめる(&amp;J)</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>削除(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Output:</source>
        <translation>出力(&amp;O):</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>出力</translation>
    </message>
    <message>
        <source>Folder ...</source>
        <translation>フォルダー...</translation>
    </message>
    <message>
        <source>Where the results go</source>
        <translation>結果の出力先</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>ファイルの追加</translation>
    </message>
    <message>
        <source>Adding ...</source>
        <translation>追加中 ...</translation>
    </message>
    <message>
        <source>Fields in braces come from each file: {dir}, {name}, {stem}, {ext}, {index}, and every option&apos;s value.</source>
        <translation>波括弧の項目はファイルごとに置き換わります: {dir}、{name}、{stem}、{ext}、{index}、および各オプションの値。</translation>
    </message>
    <message>
        <source>Add the job</source>
        <translation>ジョブを追加</translation>
    </message>
    <message>
        <source>Add %1 jobs</source>
        <translation>%1 件のジョブを追加</translation>
    </message>
    <message>
        <source>%1 options are wrong.</source>
        <translation>%1 個のオプションに誤りがあります。</translation>
    </message>
    <message>
        <source>Add the jobs</source>
        <translation>ジョブを追加</translation>
    </message>
    <message>
        <source>1 job is queued</source>
        <translation>1 件のジョブをキューに入れました</translation>
    </message>
    <message>
        <source>%1 jobs are queued</source>
        <translation>%1 件のジョブをキューに入れました</translation>
    </message>
    <message>
        <source>1 was refused</source>
        <translation>1 件は拒否されました</translation>
    </message>
    <message>
        <source>%1 were refused</source>
        <translation>%1 件は拒否されました</translation>
    </message>
    <message>
        <source>%1.</source>
        <comment>jobs are queued</comment>
        <translation>%1。</translation>
    </message>
    <message>
        <source>%1, %2.</source>
        <comment>jobs are queued, others refused</comment>
        <translation>%1。%2。</translation>
    </message>
    <message>
        <source>1 option is wrong.</source>
        <translation>1 個のオプションに誤りがあります。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a device and what it is</comment>
        <translation>%1: %2</translation>
    </message>
</context>
</TS>
